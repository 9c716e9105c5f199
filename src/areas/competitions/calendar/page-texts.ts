import type { Language } from '../../../http/language.ts';
import type { AdditionalDocumentKind, ResultStatus, StageStatus } from '../events/states.ts';
import type { EventPhase } from './wire.ts';

/** Texts of the calendar's pages and of its iCalendar feed. */
export interface PageTexts {
  title: string;
  upcoming: string;
  past: string;
  search: string;
  /** The fields that `search` covers. */
  searchHint: string;
  from: string;
  to: string;
  discipline: string;
  allDisciplines: string;
  find: string;
  follow: string;
  nothing: string;
  /** @param isMore the count is capped */
  found: (count: number, isMore: boolean) => string;
  page: (page: number) => string;
  pages: string;
  previous: string;
  next: string;
  back: string;
  days: string;
  begins: string;
  ends: string;
  reserve: string;
  location: string;
  organizer: string;
  status: string;
  phases: Record<EventPhase, string>;
  addToCalendar: string;
  documents: string;
  stageDocuments: Record<'regulations' | 'results', string>;
  /** Text for a document that is not public yet, by the status of its stage. */
  notYet: Record<StageStatus, string>;
  kinds: Record<AdditionalDocumentKind, string>;
  results: string;
  noClass: string;
  columns: { place: string; startNumber: string; name: string; result: string };
  resultStatuses: Record<ResultStatus, string>;
  unknown: { heading: string; text: string };
}

const awaitedRu = 'ещё не опубликован';
const awaitedKk = 'әлі жарияланған жоқ';
const awaitedEn = 'not published yet';

export const pageTexts: Record<Language, PageTexts> = {
  ru: {
    title: 'Календарь соревнований',
    upcoming: 'Предстоящие',
    past: 'Прошедшие',
    search: 'Поиск',
    searchHint: 'название, место, организатор',
    from: 'С даты',
    to: 'По дату',
    discipline: 'Дисциплина',
    allDisciplines: 'Все дисциплины',
    find: 'Показать',
    follow: 'Подписаться в своём календаре (iCalendar)',
    nothing: 'Соревнований не найдено.',
    found: (count, isMore) => `Найдено: ${isMore ? `больше ${count}` : count}`,
    page: (page) => `Страница ${page}`,
    pages: 'Страницы',
    previous: 'Назад',
    next: 'Дальше',
    back: 'Календарь соревнований',
    days: 'Даты',
    begins: 'Начало',
    ends: 'Окончание',
    reserve: 'Резервный день',
    location: 'Место',
    organizer: 'Организатор',
    status: 'Состояние',
    phases: {
      planned: 'Запланировано',
      running: 'Идёт сейчас',
      over: 'Прошло, результаты готовятся',
      completed: 'Завершено, результаты утверждены',
      cancelled: 'Отменено',
    },
    addToCalendar: 'Добавить в календарь',
    documents: 'Документы',
    stageDocuments: { regulations: 'Регламент', results: 'Итоговый протокол' },
    notYet: {
      locked: awaitedRu,
      open: awaitedRu,
      submitted: 'на рассмотрении федерации',
      changes: 'исправляется организатором',
      approved: awaitedRu,
    },
    kinds: { bulletin: 'Бюллетень', scheme: 'Схема', schedule: 'Расписание', other: 'Документ' },
    results: 'Результаты',
    noClass: 'Без класса',
    columns: { place: 'Место', startNumber: '№', name: 'Участник', result: 'Результат' },
    resultStatuses: {
      registered: 'заявлен',
      started: 'стартовал',
      finished: 'финишировал',
      dnf: 'сход',
      dns: 'не стартовал',
      dsq: 'дисквалифицирован',
    },
    unknown: { heading: 'Соревнование не найдено', text: 'Такого соревнования в календаре нет. Возможно, ссылка неполная.' },
  },
  kk: {
    title: 'Жарыстар күнтізбесі',
    upcoming: 'Алдағы',
    past: 'Өткен',
    search: 'Іздеу',
    searchHint: 'атауы, орны, ұйымдастырушы',
    from: 'Күннен бастап',
    to: 'Күнге дейін',
    discipline: 'Пән',
    allDisciplines: 'Барлық пәндер',
    find: 'Көрсету',
    follow: 'Өз күнтізбеңізде жазылу (iCalendar)',
    nothing: 'Жарыстар табылмады.',
    found: (count, isMore) => `Табылды: ${isMore ? `${count} артық` : count}`,
    page: (page) => `${page}-бет`,
    pages: 'Беттер',
    previous: 'Артқа',
    next: 'Әрі қарай',
    back: 'Жарыстар күнтізбесі',
    days: 'Күндері',
    begins: 'Басталуы',
    ends: 'Аяқталуы',
    reserve: 'Қосалқы күн',
    location: 'Орны',
    organizer: 'Ұйымдастырушы',
    status: 'Жай-күйі',
    phases: {
      planned: 'Жоспарланған',
      running: 'Қазір өтіп жатыр',
      over: 'Өтті, нәтижелер дайындалуда',
      completed: 'Аяқталды, нәтижелер бекітілді',
      cancelled: 'Болмайды',
    },
    addToCalendar: 'Күнтізбеге қосу',
    documents: 'Құжаттар',
    stageDocuments: { regulations: 'Регламент', results: 'Қорытынды хаттама' },
    notYet: {
      locked: awaitedKk,
      open: awaitedKk,
      submitted: 'федерация қарауында',
      changes: 'ұйымдастырушы түзетуде',
      approved: awaitedKk,
    },
    kinds: { bulletin: 'Бюллетень', scheme: 'Схема', schedule: 'Кесте', other: 'Құжат' },
    results: 'Нәтижелер',
    noClass: 'Сыныпсыз',
    columns: { place: 'Орын', startNumber: '№', name: 'Қатысушы', result: 'Нәтиже' },
    resultStatuses: {
      registered: 'тіркелген',
      started: 'сөреге шықты',
      finished: 'мәреге жетті',
      dnf: 'мәреге жетпеді',
      dns: 'сөреге шықпады',
      dsq: 'шеттетілді',
    },
    unknown: { heading: 'Жарыс табылмады', text: 'Күнтізбеде мұндай жарыс жоқ. Сілтеме толық болмауы мүмкін.' },
  },
  en: {
    title: 'Competition calendar',
    upcoming: 'Upcoming',
    past: 'Past',
    search: 'Search',
    searchHint: 'title, place, organizer',
    from: 'From',
    to: 'To',
    discipline: 'Discipline',
    allDisciplines: 'All disciplines',
    find: 'Show',
    follow: 'Follow in your own calendar (iCalendar)',
    nothing: 'No competitions found.',
    found: (count, isMore) => `Found: ${isMore ? `more than ${count}` : count}`,
    page: (page) => `Page ${page}`,
    pages: 'Pages',
    previous: 'Previous',
    next: 'Next',
    back: 'Competition calendar',
    days: 'Dates',
    begins: 'Begins',
    ends: 'Ends',
    reserve: 'Reserve day',
    location: 'Place',
    organizer: 'Organizer',
    status: 'Status',
    phases: {
      planned: 'Planned',
      running: 'Going on now',
      over: 'Over, results are being prepared',
      completed: 'Completed, results approved',
      cancelled: 'Cancelled',
    },
    addToCalendar: 'Add to calendar',
    documents: 'Documents',
    stageDocuments: { regulations: 'Regulations', results: 'Final protocol' },
    notYet: {
      locked: awaitedEn,
      open: awaitedEn,
      submitted: 'being reviewed by the federation',
      changes: 'being corrected by the organizer',
      approved: awaitedEn,
    },
    kinds: { bulletin: 'Bulletin', scheme: 'Scheme', schedule: 'Schedule', other: 'Document' },
    results: 'Results',
    noClass: 'No class',
    columns: { place: 'Place', startNumber: 'No.', name: 'Participant', result: 'Result' },
    resultStatuses: {
      registered: 'registered',
      started: 'started',
      finished: 'finished',
      dnf: 'did not finish',
      dns: 'did not start',
      dsq: 'disqualified',
    },
    unknown: { heading: 'No such competition', text: 'The calendar has no such competition. The link may be incomplete.' },
  },
};
