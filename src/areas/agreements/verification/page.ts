import type { Language } from '../../../http/language.ts';
import { wordsOfInstant } from '../../../http/response/in-words.ts';
import { escapeHtml, type Page, renderVerdict } from '../../../http/response/page.ts';
import { agreementPageTexts, type AgreementPageTexts } from './page-texts.ts';
import type { AgreementVerification, FileComparison } from './wire.ts';

export interface AgreementPage {
  facts: AgreementVerification;
  /** Path of the page, to which its form posts. */
  path: string;
  /** Address of the confirmed scan; null while it is not public. */
  scanUrl: string | null;
}

/** Renders the page behind the QR of an agreement: the public facts (AGR-15) and a form to check a file. */
export function renderAgreement(page: AgreementPage, language: Language): Page {
  const { facts } = page;
  const texts = agreementPageTexts[language];
  const heading = facts.valid ? texts.heading.valid : texts.heading.invalid;
  const verdict = renderVerdict(facts.valid ? 'valid' : 'invalid', heading, texts.statuses[facts.status]);
  return render(language, `${heading} · ${facts.number}`, `${verdict}\n${renderFacts(page, language)}\n${renderForm(page, language)}`, '');
}

/** Renders the page with the result of a file check (AGR-10). It has no link to itself, since the file is not stored. */
export function renderComparison(page: AgreementPage, comparison: FileComparison, language: Language): Page {
  const texts = agreementPageTexts[language];
  const { kind, heading, text } = verdictOn(comparison, texts);
  const hash = renderRow(texts.fileHash, renderHash(comparison.sha256));
  const content = `${renderVerdict(kind, heading, text)}\n${renderFacts(page, language, hash)}\n${renderForm(page, language)}`;
  return render(language, `${heading} · ${comparison.number}`, content, null);
}

/** Renders the page after a form without a file. */
export function renderMissingFile(page: AgreementPage, language: Language): Page {
  const { form, title } = agreementPageTexts[language];
  const content = `<h1>${escapeHtml(title)}</h1>
<p class="alert" role="alert">${escapeHtml(form.missing)}</p>
${renderForm(page, language)}
${renderFacts(page, language)}`;
  return render(language, form.missing, content, null);
}

/** Renders the page for an unknown token. @param query see `Page` */
export function renderUnknownAgreement(language: Language, query: string | null): Page {
  const { heading, unknownText } = agreementPageTexts[language];
  return render(language, heading.unknown, renderVerdict('unknown', heading.unknown, unknownText), query, false);
}

function render(language: Language, title: string, content: string, query: string | null, hasForm = true): Page {
  return { language, title: `${title} · ${agreementPageTexts[language].title}`, content, query, hasForm };
}

function verdictOn(
  { document, valid, status }: FileComparison,
  { comparison: { heading, documents, otherText }, statuses }: AgreementPageTexts,
): { kind: 'valid' | 'invalid'; heading: string; text: string } {
  if (document === null) return { kind: 'invalid', heading: heading.other, text: otherText };
  const text = `${documents[document]} ${statuses[status]}`;
  return valid ? { kind: 'valid', heading: heading.valid, text } : { kind: 'invalid', heading: heading.invalid, text };
}

/** @param file HTML of a row about a checked file; the verdict is then about the file, so this list shows the agreement's status */
function renderFacts({ facts, scanUrl }: AgreementPage, language: Language, file = ''): string {
  const texts = agreementPageTexts[language];
  const standing = facts.valid ? texts.heading.valid : texts.heading.invalid;
  const instant = (value: string) =>
    `<time datetime="${escapeHtml(value)}">${escapeHtml(wordsOfInstant(new Date(value), language))}</time>`;
  const rows = [
    file,
    renderRow(texts.number, escapeHtml(facts.number) + (file === '' ? '' : `<br><small>${escapeHtml(standing)}</small>`)),
    renderRow(texts.version, String(facts.version)),
    facts.replaced_by === undefined ? '' : renderRow(texts.replacedBy, escapeHtml(facts.replaced_by)),
    renderRow(texts.signer, `${escapeHtml(facts.signer.name)}<br><small>${escapeHtml(facts.signer.position)}</small>`),
    renderRow(texts.signedAt, instant(facts.signed_at)),
    facts.original_sha256 === null ? '' : renderRow(texts.originalHash, renderHash(facts.original_sha256)),
    facts.scan_sha256 === null ? '' : renderRow(texts.scanHash, renderHash(facts.scan_sha256)),
    renderRow(texts.checked, instant(facts.checked_at)),
  ].filter((row) => row !== '');
  const link = scanUrl === null ? '' : `\n<ul><li><a href="${escapeHtml(scanUrl)}">${escapeHtml(texts.openScan)}</a></li></ul>`;
  return `<dl>\n${rows.join('\n')}\n</dl>\n<p class="note">${escapeHtml(texts.compare)}</p>${link}`;
}

/** @param value HTML */
function renderRow(name: string, value: string): string {
  return `<div><dt>${escapeHtml(name)}</dt><dd>${value}</dd></div>`;
}

function renderHash(sha256: string): string {
  return `<small><code>${escapeHtml(sha256)}</code></small>`;
}

function renderForm({ path }: AgreementPage, language: Language): string {
  const { form } = agreementPageTexts[language];
  return `<h2>${escapeHtml(form.heading)}</h2>
<p class="note">${escapeHtml(form.text)}</p>
<form method="post" enctype="multipart/form-data" action="${escapeHtml(path)}?lang=${language}">
<label for="file">${escapeHtml(form.label)}</label>
<input id="file" name="file" type="file" accept="application/pdf,.pdf" required>
<button>${escapeHtml(form.button)}</button>
</form>`;
}
