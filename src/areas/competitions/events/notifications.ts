import { after, type CodeTitles, defineNotifications, type Facts, noteOf, reasonOf, words } from '../../notifications/index.ts';

/**
 * Notifications to an organizer about an event and its stages. Facts: `title` of the event; `stage`; `next`: `none` when the approval opens
 * no stage; `deadline`: `ahead` or `passed`; `due_on`: the day of the deadline; `until`: the instant at which the intake closes; `waiting`:
 * the number of undecided registrations; `agreement`: `missing` while no stage can be submitted (EVT-3).
 */
export const eventNotifications = defineNotifications({
  'event_stage.approved': {
    en: (facts, id) =>
      words(
        `Stage approved${inTitle(facts)}`,
        `The federation approved the ${stageOf(facts) ?? 'stage'} ${ofYourEventEn(facts, id)}.`,
        consequenceOf(facts),
      ),
    ru: (facts, id) =>
      words(
        `Этап утверждён${inTitle(facts)}`,
        `Федерация утвердила ${stageOf(facts) ?? 'этап'} ${ofYourEventRu(facts, id)}.`,
        consequenceOf(facts),
      ),
    kk: (facts, id) =>
      words(
        `Кезең бекітілді${inTitle(facts)}`,
        `Федерация ${ofYourEventKk(facts, id)} ${stageOf(facts) ?? 'кезеңін'} бекітті.`,
        consequenceOf(facts),
      ),
  },
  'event_stage.changes': {
    en: (facts, id) =>
      words(
        `Stage returned${inTitle(facts)}`,
        `The federation returned the ${stageOf(facts) ?? 'stage'} ${ofYourEventEn(facts, id)} for correction.`,
        lacksAgreement(facts) ? 'You can correct and submit it again once an agreement is confirmed.' : 'Correct and submit again.',
        noteOf(facts),
      ),
    ru: (facts, id) =>
      words(
        `Этап возвращён${inTitle(facts)}`,
        `Федерация вернула на исправление ${stageOf(facts) ?? 'этап'} ${ofYourEventRu(facts, id)}.`,
        lacksAgreement(facts)
          ? 'Исправить и подать снова можно будет, когда соглашение подтвердят.'
          : 'Внесите исправления и подайте снова.',
        noteOf(facts),
      ),
    kk: (facts, id) =>
      words(
        `Кезең қайтарылды${inTitle(facts)}`,
        `Федерация ${ofYourEventKk(facts, id)} ${stageOf(facts) ?? 'кезеңін'} түзетуге қайтарды.`,
        lacksAgreement(facts) ? 'Келісім расталған соң оны түзетіп, қайта жіберуге болады.' : 'Түзетіп, қайта жіберіңіз.',
        noteOf(facts),
      ),
  },
  'event_stage.cancelled': {
    en: (facts, id) => words('Competition cancelled', `Your ${eventEn(facts, id)} has been cancelled.`, reasonOf(facts), noteOf(facts)),
    ru: (facts, id) => words('Соревнование отменено', `Ваше соревнование ${numbered(facts, id)} отменено.`, reasonOf(facts), noteOf(facts)),
    kk: (facts, id) => words('Жарыс өткізілмейді', `Сіздің ${numbered(facts, id)} жарысыңыз өткізілмейді.`, reasonOf(facts), noteOf(facts)),
  },
  'event_stage.reopened': {
    en: (facts, id) =>
      words(
        'Agreement no longer in force',
        `The agreement ${ofYourEventEn(facts, id)} is no longer in force. Send the signed scan of a new one: no stage can be submitted until it is confirmed.`,
      ),
    ru: (facts, id) =>
      words(
        'Соглашение больше не в силе',
        `Соглашение ${ofYourEventRu(facts, id)} больше не в силе. Пришлите подписанную копию нового: пока оно не подтверждено, подать ничего нельзя.`,
      ),
    kk: (facts, id) =>
      words(
        'Келісім енді күшінде емес',
        `${ofYourEventKk(facts, id)} келісімі енді күшінде емес. Жаңасының қол қойылған көшірмесін жіберіңіз: ол расталғанша ештеңе жіберуге болмайды.`,
      ),
  },
  'event_stage.reminder': {
    en: (facts, id) =>
      words(
        `${isLate(facts) ? 'Deadline passed' : 'Deadline approaching'}${inTitle(facts)}`,
        `The federation has not received the ${stageOf(facts) ?? 'stage'} ${ofYourEventEn(facts, id)} yet.`,
        after(isLate(facts) ? 'The last day was ' : 'The last day is ', facts.day('due_on'), '.'),
        isLate(facts) ? 'Send it now: it is still accepted.' : 'Send it by then.',
      ),
    ru: (facts, id) =>
      words(
        `${isLate(facts) ? 'Срок подачи прошёл' : 'Приближается срок подачи'}${inTitle(facts)}`,
        `Федерация ещё не получила ${stageOf(facts) ?? 'этап'} ${ofYourEventRu(facts, id)}.`,
        after('Последний день подачи: ', facts.day('due_on'), '.'),
        isLate(facts) ? 'Отправьте сейчас: федерация ещё примет.' : 'Отправьте до этого дня включительно.',
      ),
    kk: (facts, id) =>
      words(
        `${isLate(facts) ? 'Жіберу мерзімі өтті' : 'Жіберу мерзімі жақындады'}${inTitle(facts)}`,
        `Федерация ${ofYourEventKk(facts, id)} ${stageOf(facts) ?? 'кезеңін'} әлі алған жоқ.`,
        after('Жіберудің соңғы күні: ', facts.day('due_on'), '.'),
        isLate(facts) ? 'Қазір жіберіңіз: федерация әлі қабылдайды.' : 'Осы күннен кешіктірмей жіберіңіз.',
      ),
  },
  'event_stage.intake_opened': {
    en: (facts, id) =>
      words('Registration opened', `Your ${eventEn(facts, id)} is open for registration${after(' until ', facts.moment('until'))}.`),
    ru: (facts, id) =>
      words(
        'Регистрация открыта',
        `Открыт приём регистраций на Ваше соревнование ${numbered(facts, id)}${after(', до ', facts.moment('until'))}.`,
      ),
    kk: (facts, id) =>
      words(
        'Тіркеу ашылды',
        `Сіздің ${numbered(facts, id)} жарысыңызға тіркеу ашылды.`,
        after('Тіркеудің аяқталу уақыты: ', facts.moment('until'), '.'),
      ),
  },
  'event_stage.intake_closed': {
    en: (facts, id) => words('Registration closed', `Your ${eventEn(facts, id)} is closed for registration.`),
    ru: (facts, id) => words('Регистрация закрыта', `Приём регистраций на Ваше соревнование ${numbered(facts, id)} закрыт.`),
    kk: (facts, id) => words('Тіркеу жабылды', `Сіздің ${numbered(facts, id)} жарысыңызға тіркеу жабылды.`),
  },
  'registration.submitted': {
    en: (facts, id) =>
      words(
        'New registrations',
        `Athletes have registered for your ${eventEn(facts, id)}.`,
        after('Registrations that wait for your decision: ', facts.text('waiting'), '.'),
      ),
    ru: (facts, id) =>
      words(
        'Новые регистрации',
        `На Ваше соревнование ${numbered(facts, id)} поданы регистрации.`,
        after('Ждут Вашего решения: ', facts.text('waiting'), '.'),
      ),
    kk: (facts, id) =>
      words(
        'Жаңа тіркеулер',
        `Сіздің ${numbered(facts, id)} жарысыңызға тіркеулер жіберілді.`,
        after('Шешіміңізді күтіп тұрған тіркеулер саны: ', facts.text('waiting'), '.'),
      ),
  },
});

/** The Kazakh words carry the possessive and accusative endings that the sentences need. */
const stages = {
  en: { agreement: 'agreement papers', details: 'details', regulations: 'regulations', results: 'results' },
  ru: { agreement: 'соглашение', details: 'сведения', regulations: 'регламент', results: 'итоговый протокол' },
  kk: { agreement: 'келісімін', details: 'мәліметтерін', regulations: 'регламентін', results: 'қорытынды хаттамасын' },
} satisfies CodeTitles;

const stagesInTitles: CodeTitles = {
  en: stages.en,
  ru: stages.ru,
  kk: { agreement: 'келісім', details: 'мәліметтер', regulations: 'регламент', results: 'қорытынды хаттама' },
};

const consequences: CodeTitles = {
  en: {
    agreement: 'Submit the details next.',
    details: 'The competition is published in the calendar. Submit the regulations next.',
    regulations: 'The regulations are published. Submit the results after the competition.',
    results: 'The results are published, and the competition is completed.',
  },
  ru: {
    agreement: 'Теперь подайте сведения о соревновании.',
    details: 'Соревнование опубликовано в календаре; теперь подайте его регламент.',
    regulations: 'Регламент опубликован; когда соревнование закончится, подайте итоговый протокол.',
    results: 'Итоговый протокол опубликован, соревнование завершено.',
  },
  kk: {
    agreement: 'Енді жарыстың мәліметтерін жіберіңіз.',
    details: 'Жарыс күнтізбеде жарияланды; енді оның регламентін жіберіңіз.',
    regulations: 'Регламент жарияланды; жарыс аяқталған соң қорытынды хаттаманы жіберіңіз.',
    results: 'Қорытынды хаттама жарияланды, жарыс аяқталды.',
  },
};

function isLate(facts: Facts): boolean {
  return facts.text('deadline') === 'passed';
}

function lacksAgreement(facts: Facts): boolean {
  return facts.text('agreement') === 'missing';
}

function stageOf(facts: Facts): string | undefined {
  return facts.titles('stage', stages);
}

function inTitle(facts: Facts): string {
  return after(': ', facts.titles('stage', stagesInTitles));
}

function consequenceOf(facts: Facts): string {
  return facts.text('next') === 'none' ? '' : (facts.titles('stage', consequences) ?? '');
}

function eventEn(facts: Facts, id: string): string {
  return `competition ${id}${after(' “', facts.text('title'), '”')}`;
}

function ofYourEventEn(facts: Facts, id: string): string {
  return `of your ${eventEn(facts, id)}`;
}

/** `№ 5 «Кубок»`, in Russian and in Kazakh. */
function numbered(facts: Facts, id: string): string {
  return `№ ${id}${after(' «', facts.text('title'), '»')}`;
}

function ofYourEventRu(facts: Facts, id: string): string {
  return `Вашего соревнования ${numbered(facts, id)}`;
}

function ofYourEventKk(facts: Facts, id: string): string {
  return `Сіздің ${numbered(facts, id)} жарысыңыздың`;
}
