import { defineNotifications, type Facts, words } from '../notifications/index.ts';

/** Notifications about a webhook that the registry disabled (WHK-5). `cause`: `gone` or `failed`. */
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
    failed: 'A change could not be delivered in ten tries.',
  },
  ru: {
    gone: 'Получатель ответил, что больше ничего не принимает (410).',
    failed: 'Изменение не удалось доставить за десять попыток.',
  },
  kk: {
    gone: 'Алушы енді ештеңе қабылдамайтынын хабарлады (410).',
    failed: 'Өзгерісті он әрекетте жеткізу мүмкін болмады.',
  },
} as const;

function causeOf(facts: Facts): keyof typeof causes.en {
  return facts.text('cause') === 'gone' ? 'gone' : 'failed';
}
