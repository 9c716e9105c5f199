import type { Language } from '../../../http/language.ts';
import { after, defineNotifications, type Facts, noteOf, words } from '../../notifications/index.ts';
import { pageTexts } from '../calendar/page-texts.ts';
import type { AdditionalDocumentKind } from '../events/states.ts';

/**
 * Notifications to an organizer about an additional document. Facts: `event_id`; `kind` of the document; `event`: `over` when it takes no
 * documents any more.
 */
export const additionalDocumentNotifications = defineNotifications({
  'additional_document.approved': {
    en: (facts, id) => words('Additional document approved', `The additional document ${id}${ofEventEn(facts)} has been approved.`),
    ru: (facts, id) =>
      words('Дополнительный документ утверждён', `Дополнительный документ № ${id}${ofEventRu(facts)} проверен и утверждён.`),
    kk: (facts, id) => words('Қосымша құжат бекітілді', `${documentKk(facts, id)} тексеріліп, бекітілді.`),
  },
  'additional_document.changes': {
    en: (facts, id) =>
      words(
        'Additional document returned for correction',
        isOver(facts)
          ? `The additional document ${id}${ofEventEn(facts)} is no longer public. The competition is over and takes no other one.`
          : `The additional document ${id}${ofEventEn(facts)} must be corrected. Delete it and add a new one.`,
        noteOf(facts),
      ),
    ru: (facts, id) =>
      words(
        'Дополнительный документ возвращён на исправление',
        isOver(facts)
          ? `Дополнительный документ № ${id}${ofEventRu(facts)} больше не опубликован; соревнование завершено и других не принимает.`
          : `Дополнительный документ № ${id}${ofEventRu(facts)} требует исправления: удалите его и добавьте заново.`,
        noteOf(facts),
      ),
    kk: (facts, id) =>
      words(
        'Қосымша құжат түзетуге қайтарылды',
        isOver(facts)
          ? `${documentKk(facts, id)} енді жарияланбайды; жарыс аяқталды, басқа құжат қабылданбайды.`
          : `${documentKk(facts, id)} түзетуді қажет етеді: оны жойып, қайта қосыңыз.`,
        noteOf(facts),
      ),
  },
  'additional_document.cancelled': {
    en: (facts, id) =>
      words('Additional document refused', `The additional document ${id}${ofEventEn(facts)} has been refused.`, noteOf(facts)),
    ru: (facts, id) =>
      words('Дополнительный документ не принят', `Дополнительный документ № ${id}${ofEventRu(facts)} не принят.`, noteOf(facts)),
    kk: (facts, id) => words('Қосымша құжат қабылданбады', `${documentKk(facts, id)} қабылданбады.`, noteOf(facts)),
  },
});

const kinds: Record<Language, Record<AdditionalDocumentKind, string>> = {
  ru: pageTexts.ru.kinds,
  kk: pageTexts.kk.kinds,
  en: pageTexts.en.kinds,
};

function isOver(facts: Facts): boolean {
  return facts.text('event') === 'over';
}

function ofKind(facts: Facts): string {
  return after(' (', facts.inSentence('kind', kinds), ')');
}

function ofEventEn(facts: Facts): string {
  return `${ofKind(facts)}${after(' of your event ', facts.text('event_id'))}`;
}

function ofEventRu(facts: Facts): string {
  return `${ofKind(facts)}${after(' Вашего соревнования № ', facts.text('event_id'))}`;
}

function documentKk(facts: Facts, id: string): string {
  return `${after('№ ', facts.text('event_id'), ' жарысыңызға арналған ')}№ ${id} қосымша құжат${ofKind(facts)}`;
}
