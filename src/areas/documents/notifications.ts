import { documentTypeTitles } from '../catalog/index.ts';
import { after, defineNotifications, type Facts, noteOf, words } from '../notifications/index.ts';

/**
 * Notifications about a document. Facts: `document_type`; `expires_at`, its last day; `applications`, ids of those that need another one;
 * `change`: `closed` when it is in use and cannot be changed (DOC-3).
 */
export const documentNotifications = defineNotifications({
  'document.approved': {
    en: (facts, id) => words('Document approved', `Your document ${id}${ofType(facts)} has been checked and approved.`),
    ru: (facts, id) => words('Документ утверждён', `Ваш документ № ${id}${ofType(facts)} проверен и утверждён.`),
    kk: (facts, id) => words('Құжат бекітілді', `Сіздің № ${id} құжатыңыз${ofType(facts)} тексеріліп, бекітілді.`),
  },
  'document.changes': {
    en: (facts, id) =>
      words(
        'Document returned for correction',
        `Your document ${id}${ofType(facts)} needs a correction.`,
        ...correctionEn(facts),
        noteOf(facts),
      ),
    ru: (facts, id) =>
      words(
        'Документ возвращён на исправление',
        `Ваш документ № ${id}${ofType(facts)} требует исправления.`,
        ...correctionRu(facts),
        noteOf(facts),
      ),
    kk: (facts, id) =>
      words('Құжат түзетуге қайтарылды', `Сіздің № ${id} құжатыңызды${ofType(facts)} түзету қажет.`, ...correctionKk(facts), noteOf(facts)),
  },
  'document.cancelled': {
    en: (facts, id) => words('Document refused', `Your document ${id}${ofType(facts)} has been refused.`, noteOf(facts)),
    ru: (facts, id) => words('Документ не принят', `Ваш документ № ${id}${ofType(facts)} не принят.`, noteOf(facts)),
    kk: (facts, id) => words('Құжат қабылданбады', `Сіздің № ${id} құжатыңыз${ofType(facts)} қабылданбады.`, noteOf(facts)),
  },
  'document.expiring': {
    en: (facts, id) =>
      words(
        'Document expires soon',
        `Your document ${id}${ofType(facts)} expires soon.`,
        after('Its last day is ', facts.day('expires_at'), '.'),
        after('Days left: ', facts.text('days'), '.'),
        'Upload a new document before that day.',
      ),
    ru: (facts, id) =>
      words(
        'Срок действия документа скоро истечёт',
        `Срок действия Вашего документа № ${id}${ofType(facts)} скоро истечёт.`,
        after('Последний день: ', facts.day('expires_at'), '.'),
        after('Осталось дней: ', facts.text('days'), '.'),
        'Заблаговременно загрузите новый документ.',
      ),
    kk: (facts, id) =>
      words(
        'Құжаттың мерзімі жақында аяқталады',
        `Сіздің № ${id} құжатыңыздың${ofType(facts)} мерзімі жақында аяқталады.`,
        after('Соңғы күні: ', facts.day('expires_at'), '.'),
        after('Қалған күн саны: ', facts.text('days'), '.'),
        'Жаңа құжатты алдын ала жүктеңіз.',
      ),
  },
  'document.expired': {
    en: (facts, id) =>
      words(
        'Document expired',
        `Your document ${id}${ofType(facts)} expired${after(' after ', facts.day('expires_at'))}.`,
        after(
          'Linked applications: ',
          facts.text('applications'),
          '. Attach a valid document and submit them again; nothing is charged twice.',
        ) || 'Upload a new one.',
      ),
    ru: (facts, id) =>
      words(
        'Срок действия документа истёк',
        `Срок действия Вашего документа № ${id}${ofType(facts)} истёк${after(', последний день – ', facts.day('expires_at'), '.') || '.'}`,
        after(
          'На нём основаны заявки: ',
          facts.text('applications'),
          '. Приложите действующий документ и подайте их снова; повторно деньги не списываются.',
        ) || 'Загрузите новый документ.',
      ),
    kk: (facts, id) =>
      words(
        'Құжаттың мерзімі аяқталды',
        `Сіздің № ${id} құжатыңыздың${ofType(facts)} қолданылу мерзімі аяқталды${after(', соңғы күні – ', facts.day('expires_at'))}.`,
        after(
          'Оған негізделген өтінімдер: ',
          facts.text('applications'),
          '. Жарамды құжатты тіркеп, оларды қайта жіберіңіз; ақша екінші рет алынбайды.',
        ) || 'Жаңа құжат жүктеңіз.',
      ),
  },
});

function isInUse(facts: Facts): boolean {
  return facts.text('change') === 'closed';
}

function correctionEn(facts: Facts): string[] {
  if (!isInUse(facts)) return [];
  const replacement = after('Attach another document and submit these applications again: ', facts.text('applications'), '.');
  return ['It is in use and cannot be changed.', replacement || 'Upload another one.'];
}

function correctionRu(facts: Facts): string[] {
  if (!isInUse(facts)) return [];
  const replacement = after('Приложите другой документ и снова подайте заявки: ', facts.text('applications'), '.');
  return ['Он используется, и изменить его нельзя.', replacement || 'Загрузите другой документ.'];
}

function correctionKk(facts: Facts): string[] {
  if (!isInUse(facts)) return [];
  const replacement = after('Басқа құжат тіркеп, мына өтінімдерді қайта жіберіңіз: ', facts.text('applications'), '.');
  return ['Ол пайдаланылып жатыр, оны өзгертуге болмайды.', replacement || 'Басқа құжат жүктеңіз.'];
}

function ofType(facts: Facts): string {
  return after(' (', facts.inSentence('document_type', documentTypeTitles), ')');
}
