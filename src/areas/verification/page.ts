import type { Language } from '../../http/language.ts';
import { wordsOfDay, wordsOfInstant } from '../../http/response/in-words.ts';
import { escapeHtml, type Page, renderVerdict } from '../../http/response/page.ts';
import { type DocumentType, documentTypeTitles } from '../catalog/index.ts';
import type { Verification } from './wire.ts';

/** The texts of the verification page (VER-7). */
const ru = {
  title: 'Проверка документа федерации',
  heading: { valid: 'Действителен', invalid: 'Недействителен', unknown: 'Документ не найден' },
  states: {
    valid: 'Документ в силе на момент проверки.',
    expired: 'Срок действия истёк.',
    not_started: 'Срок действия ещё не начался.',
    annulled: 'Документ аннулирован.',
    under_correction: 'Сведения или документы владельца исправляются; до утверждения документ не действует.',
    under_review: 'Сведения или документы владельца проверяются; до утверждения документ не действует.',
    draft: 'Заявка не подана.',
    unpaid: 'Документ не оплачен.',
    incomplete: 'Сведения неполные.',
  },
  kinds: {
    national_certificate: 'Национальный сертификат',
    international_licence: 'Международная лицензия',
    document: 'Документ федерации',
    event_fee: 'Взнос за соревнование',
  },
  number: 'Номер',
  validity: 'Срок действия',
  period: (from: string, until: string) => `с ${from} по ${until}`,
  checked: 'Проверено',
  compare: 'Сверьте номер с номером на предъявленном документе.',
  unknownText: 'Такого документа в реестре нет. Отсканируйте QR-код ещё раз, целиком и с оригинала документа.',
  documents: 'Документы, открытые владельцем',
};
export const pageTexts: Record<Language, typeof ru> = {
  ru,
  kk: {
    title: 'Федерация құжатын тексеру',
    heading: { valid: 'Жарамды', invalid: 'Жарамсыз', unknown: 'Құжат табылмады' },
    states: {
      valid: 'Құжат тексеру сәтінде күшінде.',
      expired: 'Қолданылу мерзімі аяқталған.',
      not_started: 'Қолданылу мерзімі әлі басталған жоқ.',
      annulled: 'Құжаттың күші жойылған.',
      under_correction: 'Иесінің мәліметтері немесе құжаттары түзетілуде; бекітілгенге дейін құжат күшінде емес.',
      under_review: 'Иесінің мәліметтері немесе құжаттары тексерілуде; бекітілгенге дейін құжат күшінде емес.',
      draft: 'Өтінім берілмеген.',
      unpaid: 'Құжат үшін төлем жасалмаған.',
      incomplete: 'Мәліметтер толық емес.',
    },
    kinds: {
      national_certificate: 'Ұлттық сертификат',
      international_licence: 'Халықаралық лицензия',
      document: 'Федерация құжаты',
      event_fee: 'Жарыс жарнасы',
    },
    number: 'Нөмірі',
    validity: 'Қолданылу мерзімі',
    period: (from, until) => `${from} – ${until}`,
    checked: 'Тексерілді',
    compare: 'Нөмірді көрсетілген құжаттағы нөмірмен салыстырыңыз.',
    unknownText: 'Тізілімде мұндай құжат жоқ. QR-кодты құжаттың түпнұсқасынан толық етіп қайта сканерлеңіз.',
    documents: 'Иесі ашқан құжаттар',
  },
  en: {
    title: 'Verification of a federation document',
    heading: { valid: 'Valid', invalid: 'Not valid', unknown: 'Document not found' },
    states: {
      valid: 'The document is in force at the time of this check.',
      expired: 'Its period of validity has ended.',
      not_started: 'Its period of validity has not begun yet.',
      annulled: 'The document has been annulled.',
      under_correction: "The holder's data or documents are being corrected. The document is not in force until they are approved.",
      under_review: "The holder's data or documents are being reviewed. The document is not in force until they are approved.",
      draft: 'The application has not been submitted.',
      unpaid: 'The document is not paid.',
      incomplete: 'The data are incomplete.',
    },
    kinds: {
      national_certificate: 'National certificate',
      international_licence: 'International licence',
      document: 'Federation document',
      event_fee: 'Competition fee',
    },
    number: 'Number',
    validity: 'Validity',
    period: (from, until) => `${from} to ${until}`,
    checked: 'Checked',
    compare: 'Compare this number with the number on the document.',
    unknownText: 'The registry does not contain this document. Scan the whole QR code of the original document again.',
    documents: 'Documents shared by the holder',
  },
};

/** A shared scan that the page links. */
interface PageDocument {
  type: DocumentType;
  url: string;
}

/** Renders the page of a QR, with the same facts as `GET /verify/{token}` (VER-7). */
export function renderVerification(facts: Verification, documents: readonly PageDocument[], language: Language): Page {
  const texts = pageTexts[language];
  const heading = facts.valid ? texts.heading.valid : texts.heading.invalid;
  const day = (value: string) => wordsOfDay(value, language);
  return render(
    language,
    `${heading} · ${facts.number}`,
    `${renderVerdict(facts.valid ? 'valid' : 'invalid', heading, texts.states[facts.state])}
<dl>
<div><dt>${escapeHtml(texts.kinds[facts.kind])}</dt><dd>${escapeHtml(facts.number)}</dd></div>
<div><dt>${escapeHtml(texts.validity)}</dt><dd>${escapeHtml(texts.period(day(facts.valid_from), day(facts.valid_until)))}</dd></div>
<div><dt>${escapeHtml(texts.checked)}</dt><dd><time datetime="${escapeHtml(facts.checked_at)}">${escapeHtml(wordsOfInstant(new Date(facts.checked_at), language))}</time></dd></div>
</dl>
<p class="note">${escapeHtml(texts.compare)}</p>${documentList(documents, language)}`,
  );
}

/** Renders the page for an unknown token. */
export function renderUnknown(language: Language): Page {
  const { heading, unknownText } = pageTexts[language];
  return render(language, heading.unknown, renderVerdict('unknown', heading.unknown, unknownText));
}

function render(language: Language, title: string, content: string): Page {
  return { language, title: `${title} · ${pageTexts[language].title}`, content, query: '' };
}

function documentList(documents: readonly PageDocument[], language: Language): string {
  if (documents.length === 0) return '';
  const items = documents.map(
    ({ type, url }) => `<li><a href="${escapeHtml(url)}">${escapeHtml(documentTypeTitles[language][type])}</a></li>`,
  );
  return `\n<h2>${escapeHtml(pageTexts[language].documents)}</h2>\n<ul>${items.join('')}</ul>`;
}
