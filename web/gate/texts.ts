import type { InvalidReason, UnknownReason } from '../../client/src/verify-credential.ts';

export const languages = ['ru', 'kk', 'en'] as const;
export type Language = (typeof languages)[number];

export interface Texts {
  title: string;
  scan: string;
  stop: string;
  torch: string;
  photo: string;
  paste: string;
  check: string;
  refresh: string;
  checks: string;
  onDevice: string;
  next: string;
  compare: string;
  valid: string;
  /** @param time of the status list */
  validAsOf: (time: string) => string;
  notValid: string;
  cannotTell: string;
  reasons: Record<InvalidReason | UnknownReason, string>;
  /** @param time of the oldest status list */
  listOf: (time: string) => string;
  noList: string;
  offline: string;
  clockIsWrong: string;
  /** @param now of the sandbox clock */
  movedClock: (now: string) => string;
  noCamera: string;
  noCode: string;
  insecure: string;
}

export const texts: Record<Language, Texts> = {
  ru: {
    title: 'Контроль документов',
    scan: 'Сканировать',
    stop: 'Остановить',
    torch: 'Фонарик',
    photo: 'Фото QR-кода',
    paste: 'Или вставьте текст QR-кода',
    check: 'Проверить',
    refresh: 'Обновить список',
    checks: 'Последние проверки',
    onDevice: 'Хранятся только на этом устройстве, не больше 200.',
    next: 'Следующий',
    compare: 'Сверьте номер с номером на документе.',
    valid: 'Действителен',
    validAsOf: (time) => `Действителен на ${time}`,
    notValid: 'Недействителен',
    cannotTell: 'Нельзя определить',
    reasons: {
      not_yet: 'Срок действия ещё не начался.',
      expired: 'Срок действия истёк.',
      invalid: 'Документ аннулирован или закрыт.',
      suspended: 'Действие приостановлено: сведения исправляются или проверяются.',
      forged: 'Подделка: реестр такого документа не выдавал.',
      no_credential: 'В QR-коде нет сведений для проверки без сети. Проверьте на странице реестра.',
      unknown_key: 'Ключ подписи неизвестен. Подключитесь к сети и обновите список.',
      list_missing: 'Нет списка статусов. Подключитесь к сети и обновите список.',
      list_expired: 'Список статусов устарел. Подключитесь к сети и обновите список.',
    },
    listOf: (time) => `Список от ${time}`,
    noList: 'Списка статусов нет.',
    offline: 'Сети нет, список не обновлён.',
    clockIsWrong: 'Часы устройства неверны. Исправьте время.',
    movedClock: (now) => `Песочница: часы реестра переведены и показывают ${now}. Здесь считают часы устройства.`,
    noCamera: 'Камера недоступна. Сделайте фото или вставьте текст.',
    noCode: 'QR-код на фото не найден.',
    insecure: 'Откройте страницу по HTTPS.',
  },
  kk: {
    title: 'Құжаттарды бақылау',
    scan: 'Сканерлеу',
    stop: 'Тоқтату',
    torch: 'Шам',
    photo: 'QR-код суреті',
    paste: 'Немесе QR-код мәтінін қойыңыз',
    check: 'Тексеру',
    refresh: 'Тізімді жаңарту',
    checks: 'Соңғы тексерулер',
    onDevice: 'Тек осы құрылғыда сақталады, 200-ден аспайды.',
    next: 'Келесі',
    compare: 'Нөмірді құжаттағы нөмірмен салыстырыңыз.',
    valid: 'Жарамды',
    validAsOf: (time) => `${time} жағдайы бойынша жарамды`,
    notValid: 'Жарамсыз',
    cannotTell: 'Анықтау мүмкін емес',
    reasons: {
      not_yet: 'Қолданылу мерзімі әлі басталған жоқ.',
      expired: 'Қолданылу мерзімі аяқталған.',
      invalid: 'Құжаттың күші жойылған немесе ол жабылған.',
      suspended: 'Қолданылуы тоқтатылған: мәліметтер түзетілуде немесе тексерілуде.',
      forged: 'Жалған: тізілім мұндай құжат берген жоқ.',
      no_credential: 'QR-кодта желісіз тексеруге арналған мәлімет жоқ. Тізілім бетінде тексеріңіз.',
      unknown_key: 'Қолтаңба кілті белгісіз. Желіге қосылып, тізімді жаңартыңыз.',
      list_missing: 'Мәртебелер тізімі жоқ. Желіге қосылып, тізімді жаңартыңыз.',
      list_expired: 'Мәртебелер тізімі ескірген. Желіге қосылып, тізімді жаңартыңыз.',
    },
    listOf: (time) => `Тізім уақыты: ${time}`,
    noList: 'Мәртебелер тізімі жоқ.',
    offline: 'Желі жоқ, тізім жаңартылмады.',
    clockIsWrong: 'Құрылғының сағаты қате. Уақытты түзетіңіз.',
    movedClock: (now) => `Сынақ ортасы: тізілімнің сағаты жылжытылған, ол ${now} көрсетіп тұр. Мұнда құрылғының сағаты есептейді.`,
    noCamera: 'Камера қолжетімсіз. Суретке түсіріңіз немесе мәтінді қойыңыз.',
    noCode: 'Суретте QR-код табылмады.',
    insecure: 'Бетті HTTPS арқылы ашыңыз.',
  },
  en: {
    title: 'Document check',
    scan: 'Scan',
    stop: 'Stop',
    torch: 'Torch',
    photo: 'Photo of the QR code',
    paste: 'Or paste the text of the QR code',
    check: 'Check',
    refresh: 'Refresh the list',
    checks: 'Last checks',
    onDevice: 'Kept on this device only, at most 200.',
    next: 'Next',
    compare: 'Compare this number with the number on the document.',
    valid: 'Valid',
    validAsOf: (time) => `Valid as of ${time}`,
    notValid: 'Not valid',
    cannotTell: 'Cannot tell',
    reasons: {
      not_yet: 'Its period of validity has not begun yet.',
      expired: 'Its period of validity has ended.',
      invalid: 'The document is annulled or closed.',
      suspended: 'Suspended: its data are being corrected or reviewed.',
      forged: 'Forged: the registry has not issued this document.',
      no_credential: 'The QR code has no data for a check without a network. Check it on the page of the registry.',
      unknown_key: 'The signing key is unknown. Connect to a network and refresh the list.',
      list_missing: 'There is no status list. Connect to a network and refresh the list.',
      list_expired: 'The status list is too old. Connect to a network and refresh the list.',
    },
    listOf: (time) => `List of ${time}`,
    noList: 'There is no status list.',
    offline: 'No network; the list was not refreshed.',
    clockIsWrong: 'The clock of this device is wrong. Correct the time.',
    movedClock: (now) => `Sandbox: the registry's clock was moved and shows ${now}. This page uses the clock of the device.`,
    noCamera: 'The camera is not available. Take a photo or paste the text.',
    noCode: 'There is no QR code in the photo.',
    insecure: 'Open the page over HTTPS.',
  },
};

const locales: Record<Language, string> = { ru: 'ru-RU', kk: 'kk-KZ', en: 'en-GB' };
/** UTC+5, with the sign of POSIX. */
const timeZone = 'Etc/GMT-5';

/** Day and minute as the other pages of the registry write them. */
export function wordsOfMoment(instant: Date, language: Language): string {
  return new Intl.DateTimeFormat(locales[language], { dateStyle: 'long', timeStyle: 'short', timeZone }).format(instant);
}

/** The minute alone today, with its day before. */
export function wordsOfTime(instant: Date, language: Language): string {
  const dayIn = (moment: Date) => new Intl.DateTimeFormat('en-CA', { timeZone }).format(moment);
  if (dayIn(instant) !== dayIn(new Date())) return wordsOfMoment(instant, language);
  return new Intl.DateTimeFormat(locales[language], { timeStyle: 'short', timeZone }).format(instant);
}

/** The language of the link, else the one chosen before, else the browser's first known one, else Russian. */
export function chooseLanguage(): Language {
  const preferences = [new URLSearchParams(location.search).get('lang'), localStorage.getItem('gate-language'), ...navigator.languages];
  for (const preference of preferences) {
    const language = languages.find((known) => known === preference?.split('-')[0]);
    if (language) return language;
  }
  return 'ru';
}
