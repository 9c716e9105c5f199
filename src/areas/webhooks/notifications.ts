import { defineNotifications, type Facts, words } from '../notifications/index.ts';

/** Notifications about a webhook that the registry disabled (WHK-5, WHK-9). `cause`: `gone`, `failed`, `key_ended` or `no_second_factor`. */
export const webhookNotifications = defineNotifications({
  'webhook.disabled': {
    en: (facts, id) =>
      words('Webhook disabled', `Webhook ${id} has been disabled.`, causes.en[causeOf(facts)], 'Changes wait until you enable it again.'),
    ru: (facts, id) =>
      words('Вебхук отключён', `Вебхук № ${id} отключён.`, causes.ru[causeOf(facts)], 'Изменения ждут, пока Вы не включите его снова.'),
    kk: (facts, id) =>
      words('Вебхук өшірілді', `№ ${id} вебхук өшірілді.`, causes.kk[causeOf(facts)], 'Сіз оны қайта қосқанша өзгерістер күтеді.'),
  },
});

const causes = {
  en: {
    gone: 'Its receiver answered that it wants nothing more (410).',
    failed: 'Its receiver took no change for five days.',
    key_ended: 'The API key that created it, or gave it its address, has ended.',
    no_second_factor: 'Administrators need a second factor. Set one up, then enable the webhook.',
  },
  ru: {
    gone: 'Получатель ответил, что больше ничего не принимает (410).',
    failed: 'Получатель пять дней не принимал ни одного изменения.',
    key_ended: 'Ключ API, который создал его или задал его адрес, больше не действует.',
    no_second_factor: 'Администраторам нужен второй фактор. Настройте его, затем включите вебхук.',
  },
  kk: {
    gone: 'Алушы енді ештеңе қабылдамайтынын хабарлады (410).',
    failed: 'Алушы бес күн бойы бірде-бір өзгерісті қабылдамады.',
    key_ended: 'Оны жасаған немесе мекенжайын берген API кілтінің күші жойылды.',
    no_second_factor: 'Әкімшілерге екінші фактор қажет. Оны баптап, содан кейін вебхукты қосыңыз.',
  },
} as const;

function causeOf(facts: Facts): keyof typeof causes.en {
  const cause = facts.text('cause');
  return cause === 'gone' || cause === 'key_ended' || cause === 'no_second_factor' ? cause : 'failed';
}
