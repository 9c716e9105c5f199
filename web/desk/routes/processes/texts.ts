import { defineTexts } from '../../shared/texts.ts';

export const processTexts = defineTexts({
  columns: {
    record: ['Запись', 'Жазба', 'Record'],
    state: ['Состояние', 'Күйі', 'State'],
    waitsFor: ['Чего ждёт', 'Нені күтеді', 'Waits for'],
    why: ['Причина', 'Себебі', 'Reason'],
    outcome: ['Результат', 'Нәтижесі', 'Outcome'],
  },
  times: {
    since: ['С какого времени', 'Қай уақыттан бері', 'Since'],
    next: ['Следующий шаг', 'Келесі қадам', 'Next step'],
  },
  filters: {
    kind: ['Вид записи', 'Жазба түрі', 'Kind of record'],
    number: ['Номер или вид/номер', 'Нөмірі немесе түрі/нөмірі', 'Number or kind/number'],
    history: ['История действий', 'Әрекеттер тарихы', 'Past actions'],
  },
  waits: {
    owner: ['действия владельца', 'иесінің әрекетін', 'the owner'],
    organizer: ['решения организатора', 'ұйымдастырушының шешімін', "the organizer's decision"],
    administrator: ['решения администратора', 'әкімшінің шешімін', "an administrator's decision"],
    bank: ['ответа банка', 'банктің жауабын', "the bank's answer"],
    date: ['наступления даты', 'күннің келуін', 'a date'],
    support: ['исправления поддержкой', 'қолдау қызметінің түзетуін', 'a repair by support'],
  },
  reasons: {
    overdue: [
      'Шаг опаздывает больше чем на 5 минут. Повторите его.',
      'Қадам 5 минуттан артық кешігуде. Оны қайталаңыз.',
      'The step was due more than 5 minutes ago. Retry it.',
    ],
    internal_error: [
      'Ошибка программы. Сообщите разработчикам.',
      'Бағдарлама қатесі. Әзірлеушілерге хабарлаңыз.',
      'Program error. Tell the developers.',
    ],
    cannot_be_made: [
      'PDF не создаётся из этих данных. Исправьте запись.',
      'Жазба деректерінен PDF жасалмайды. Жазбаны түзетіңіз.',
      'No PDF can be made from the record. Correct the record.',
    ],
    service_unavailable: [
      'Часть системы недоступна. Шаг повторится сам.',
      'Жүйенің бір бөлігі қолжетімсіз. Қадам өзі қайталанады.',
      'A part of the system is unavailable. The step repeats by itself.',
    ],
    workflow_version: [
      'Не подходит к установленной версии. Перезапустите.',
      'Орнатылған нұсқаға сәйкес емес. Қайта іске қосыңыз.',
      'Does not fit the installed release. Restart it.',
    ],
    workflow_error: [
      'Ошибка программы процесса. Сообщите разработчикам.',
      'Үдеріс бағдарламасының қатесі. Әзірлеушілерге хабарлаңыз.',
      'Program error of the process. Tell the developers.',
    ],
    failed: ['Завершился ошибкой. Перезапустите.', 'Қатемен аяқталды. Қайта іске қосыңыз.', 'Ended with an error. Restart it.'],
    timed_out: ['Не успел в срок. Перезапустите.', 'Мерзімінде үлгермеді. Қайта іске қосыңыз.', 'Did not end in time. Restart it.'],
    terminated: [
      'Остановлен в Temporal. Перезапустите.',
      'Temporal-да тоқтатылды. Қайта іске қосыңыз.',
      'Stopped in Temporal. Restart it.',
    ],
    cancelled: [
      'Отменён в Temporal. Перезапустите.',
      'Temporal-да күші жойылды. Қайта іске қосыңыз.',
      'Cancelled in Temporal. Restart it.',
    ],
  },
  empty: [
    'Таких процессов нет. Выберите другое состояние или уберите фильтры.',
    'Мұндай үдерістер жоқ. Басқа күйді таңдаңыз немесе сүзгілерді алып тастаңыз.',
    'There are no such processes. Choose another state or remove the filters.',
  ],
  noHistory: [
    'Действий с процессами ещё не было.',
    'Үдерістермен әлі ешқандай әрекет жасалған жоқ.',
    'There have been no actions on processes yet.',
  ],
  failedUnknown: [
    'Temporal недоступен: какие процессы завершились сбоем, сейчас неизвестно.',
    'Temporal қолжетімсіз: қандай үдерістер ақаумен аяқталғаны қазір белгісіз.',
    'Temporal is unavailable: which processes have failed is not known now.',
  ],
  selectPage: ['Выбрать все на странице', 'Беттегілердің бәрін таңдау', 'Select all of the page'],
  selectAll: (count: string, isPart: boolean) => [
    isPart ? `Выбрать первые ${count}` : `Выбрать все: ${count}`,
    isPart ? `Алғашқы ${count} үдерісті таңдау` : `Бәрін таңдау: ${count}`,
    isPart ? `Select the first ${count}` : `Select all: ${count}`,
  ],
  selected: (count: string) => [`Выбрано: ${count}`, `Таңдалды: ${count}`, `Selected: ${count}`],
  clear: ['Снять выбор', 'Таңдауды алып тастау', 'Clear selection'],
  actions: {
    retry: ['Повторить шаг', 'Қадамды қайталау', 'Retry the step'],
    ask_bank: ['Спросить банк', 'Банктен сұрау', 'Ask the bank'],
    restart: ['Перезапустить', 'Қайта іске қосу', 'Restart'],
  },
  actOn: (action: string, count: string) => [`${action}: ${count}`, `${action}: ${count}`, `${action}: ${count}`],
  about: {
    retry: [
      'Шаг, который не удался, выполнится сейчас. Письма и сообщения уйдут сразу.',
      'Сәтсіз болған қадам қазір орындалады. Хаттар мен хабарламалар бірден жіберіледі.',
      'The step that failed runs now. Mails and messages are sent at once.',
    ],
    ask_bank: [
      'Банк ответит, оплачен ли счёт.',
      'Банк шоттың төленген-төленбегенін айтады.',
      'The bank tells whether the invoice is paid.',
    ],
    restart: [
      'Процесс закончится и начнётся снова из записи. Данные сохранятся.',
      'Үдеріс аяқталып, жазбадан қайта басталады. Деректер сақталады.',
      'The process ends and starts again from its record. No data is lost.',
    ],
  },
  reasonHint: [
    'От 5 до 3000 знаков. Её видят другие администраторы.',
    '5-тен 3000 таңбаға дейін. Оны басқа әкімшілер көреді.',
    '5 to 3000 characters. Other administrators can read it.',
  ],
  progress: (done: string, total: string) => [`Готово ${done} из ${total}`, `${total} ішінен ${done} дайын`, `${done} of ${total} done`],
  outcomes: {
    queued: ['Ждёт своей очереди', 'Кезегін күтеді', 'Queued'],
    sent: ['Выполняется…', 'Орындалуда…', 'In progress…'],
    done: ['Выполнено', 'Орындалды', 'Done'],
  },
  notFitting: (state: string, allowed: string) => [
    `Состояние процесса: «${state}». Подходящие действия: ${allowed}.`,
    `Үдеріс күйі: «${state}». Сәйкес әрекеттер: ${allowed}.`,
    `State of the process: “${state}”. Fitting actions: ${allowed}.`,
  ],
  leaving: [
    'Действия ещё выполняются. Если уйти, оставшиеся процессы не получат запроса. Уйти?',
    'Әрекеттер әлі орындалып жатыр. Шықсаңыз, қалған үдерістерге сұрау жіберілмейді. Шығасыз ба?',
    'Actions are still in progress. If you leave, the remaining processes are not asked. Leave?',
  ],
});
