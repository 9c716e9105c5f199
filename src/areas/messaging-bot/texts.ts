import type { Language } from '../../http/language.ts';
import type { Missing } from './read-status.ts';

/** The bot's commands, in menu order. `/start` is not listed: the platform shows a button for it. */
export const botCommands = ['missing', 'balance', 'certificates', 'stop', 'help'] as const;
export type BotCommand = (typeof botCommands)[number];

/** A person's message to the bot, parsed. */
export type Said = { kind: 'start'; token: string | null } | { kind: 'command'; command: BotCommand } | { kind: 'other' };

/** Parses a message: `/balance`, `/balance@registry_bot`, `/start <token>`; anything else is `other`. */
export function readMessage(text: string): Said {
  const [, name = '', rest = ''] = /^\/([a-z0-9_]{1,32})(?:@\w{1,64})?(?:\s+(\S{1,128}))?\s*$/i.exec(text) ?? [];
  const word = name.toLowerCase();
  if (word === 'start') return { kind: 'start', token: rest === '' ? null : rest };
  const command = botCommands.find((known) => known === word);
  return command === undefined ? { kind: 'other' } : { kind: 'command', command };
}

type ProfileDuty = Missing['profiles'][number];

/** All texts of the bot. */
const ru = {
  /** For the platform's menu and the help. */
  commands: {
    missing: 'Чего не хватает',
    balance: 'Баланс кошелька',
    certificates: 'Мои сертификаты',
    stop: 'Отключить этот чат',
    help: 'Что умеет бот',
  },
  connected: 'Чат подключён. Сюда будут приходить уведомления, которые Вы выберете на сайте.',
  linkRefused: 'Эта ссылка не подходит: она уже использована, заменена или устарела. Получите новую на сайте.',
  /** @param site the registry's address */
  unlinked: (site: string) => `Этот чат не подключён. Войдите на сайт и получите ссылку для подключения бота: ${site}`,
  stopped: 'Чат отключён. Подключить его снова можно на сайте.',
  /** The account was disconnected on the site. */
  disconnected: 'Чат отключён на сайте.',
  help: 'Бот показывает состояние Ваших дел и ничего в них не меняет:',
  nothingMissing: 'От Вас ничего не требуется.',
  missing: 'Что нужно от Вас:',
  /** What the owner must do for a profile. */
  profile: ({ id, part, what }: ProfileDuty) =>
    part === 'profile'
      ? `Профиль ${id}: ${what === 'submit' ? 'отправьте на проверку' : 'исправьте данные'}`
      : `Профиль ${id}: ${what === 'add' ? 'добавьте фото' : what === 'submit' ? 'отправьте фото на проверку' : 'замените фото'}`,
  document: (type: string) => `${type}: замените или исправьте`,
  application: (id: number, title: string, rules: string) => `Заявка ${id}, ${title}: ${rules}`,
  more: 'И другое, всё на сайте.',
  /** There are too many applications to check all. */
  tooMany: 'Заявок слишком много, чтобы просмотреть их здесь. Что нужно от Вас, показано на сайте.',
  balance: (amount: string) => `В кошельке ${amount}.`,
  noCertificates: 'Сертификатов нет.',
  certificates: 'Ваши сертификаты:',
  certificate: (title: string, until: string, state: string) => `${title}: до ${until}, ${state}`,
  states: {
    valid: 'действует',
    expired: 'срок истёк',
    not_started: 'срок ещё не начался',
    annulled: 'аннулирован',
    under_correction: 'не действует, сведения исправляются',
    under_review: 'не действует, сведения проверяются',
    draft: 'не подан',
    unpaid: 'не оплачен',
    incomplete: 'не действует, сведения неполные',
  },
  /** Conditions of an application, by code; a document type of the catalog has its own title. */
  rules: {
    submitted: 'отправить',
    files: 'загрузить файлы',
    payment: 'оплатить',
    top_up: 'пополнить кошелёк',
    dates: 'указать даты',
    identity_document: 'Удостоверение личности или паспорт',
    other: 'Документ',
  },
};

export const botTexts: Record<Language, typeof ru> = {
  ru,
  kk: {
    commands: {
      missing: 'Не жетіспейді',
      balance: 'Әмиян балансы',
      certificates: 'Менің сертификаттарым',
      stop: 'Осы чатты ажырату',
      help: 'Бот не істей алады',
    },
    connected: 'Чат қосылды. Сайтта таңдаған хабарламаларыңыз осында келеді.',
    linkRefused: 'Бұл сілтеме жарамайды: ол пайдаланылған, ауыстырылған немесе ескірген. Жаңасын сайттан алыңыз.',
    unlinked: (site) => `Бұл чат қосылмаған. Сайтқа кіріп, ботты қосу сілтемесін алыңыз: ${site}`,
    stopped: 'Чат ажыратылды. Оны сайтта қайта қосуға болады.',
    disconnected: 'Чат сайтта ажыратылды.',
    help: 'Бот істеріңіздің жағдайын көрсетеді және оларда ештеңе өзгертпейді:',
    nothingMissing: 'Сізден ештеңе талап етілмейді.',
    missing: 'Сізден қажет:',
    profile: ({ id, part, what }) =>
      part === 'profile'
        ? `${id}-профиль: ${what === 'submit' ? 'тексеруге жіберіңіз' : 'деректерді түзетіңіз'}`
        : `${id}-профиль: ${what === 'add' ? 'фото қосыңыз' : what === 'submit' ? 'фотоны тексеруге жіберіңіз' : 'фотоны ауыстырыңыз'}`,
    document: (type) => `${type}: ауыстырыңыз немесе түзетіңіз`,
    application: (id, title, rules) => `${id}-өтінім, ${title}: ${rules}`,
    more: 'Тағы да бар, барлығы сайтта.',
    tooMany: 'Өтінімдер осында қарап шығу үшін тым көп. Сізден не қажет екені сайтта көрсетілген.',
    balance: (amount) => `Әмиянда ${amount}.`,
    noCertificates: 'Сертификаттар жоқ.',
    certificates: 'Сіздің сертификаттарыңыз:',
    certificate: (title, until, state) => `${title}: соңғы күні – ${until}; ${state}`,
    states: {
      valid: 'жарамды',
      expired: 'мерзімі өтті',
      not_started: 'мерзімі әлі басталған жоқ',
      annulled: 'жойылған',
      under_correction: 'жарамсыз, мәліметтер түзетілуде',
      under_review: 'жарамсыз, мәліметтер тексерілуде',
      draft: 'жіберілмеген',
      unpaid: 'төленбеген',
      incomplete: 'жарамсыз, мәліметтер толық емес',
    },
    rules: {
      submitted: 'жіберу',
      files: 'файлдарды жүктеу',
      payment: 'төлеу',
      top_up: 'әмиянды толтыру',
      dates: 'күндерді көрсету',
      identity_document: 'Жеке куәлік немесе паспорт',
      other: 'Құжат',
    },
  },
  en: {
    commands: {
      missing: 'What is missing',
      balance: 'Balance of the wallet',
      certificates: 'My certificates',
      stop: 'Disconnect this chat',
      help: 'What the bot can do',
    },
    connected: 'The chat is connected. The notifications that you choose on the site will come here.',
    linkRefused: 'This link is not valid: it was used, replaced or has expired. Get a new one on the site.',
    unlinked: (site) => `This chat is not connected. Sign in on the site and get a link for the bot: ${site}`,
    stopped: 'The chat is disconnected. It can be connected again on the site.',
    disconnected: 'The chat was disconnected on the site.',
    help: 'The bot shows the state of your records and does not change them:',
    nothingMissing: 'You need to do nothing.',
    missing: 'What you need to do:',
    profile: ({ id, part, what }) =>
      part === 'profile'
        ? `Profile ${id}: ${what === 'submit' ? 'submit it for review' : 'correct the data'}`
        : `Profile ${id}: ${what === 'add' ? 'add a photo' : what === 'submit' ? 'submit the photo for review' : 'replace the photo'}`,
    document: (type) => `${type}: replace or correct it`,
    application: (id, title, rules) => `Application ${id}, ${title}: ${rules}`,
    more: 'And more; see the site.',
    tooMany: 'There are too many applications to check here. See the site for what you need to do.',
    balance: (amount) => `The wallet holds ${amount}.`,
    noCertificates: 'There are no certificates.',
    certificates: 'Your certificates:',
    certificate: (title, until, state) => `${title}: until ${until}, ${state}`,
    states: {
      valid: 'valid',
      expired: 'expired',
      not_started: 'not valid yet',
      annulled: 'annulled',
      under_correction: 'not valid, under correction',
      under_review: 'not valid, under review',
      draft: 'not submitted',
      unpaid: 'not paid',
      incomplete: 'not valid, incomplete',
    },
    rules: {
      submitted: 'submit',
      files: 'upload the files',
      payment: 'pay',
      top_up: 'top up the wallet',
      dates: 'give the dates',
      identity_document: 'Identity card or passport',
      other: 'Document',
    },
  },
};
