import { contractStatuses } from '../../../src/areas/agreements/contracts/states.ts';
import { agreementPageTexts } from '../../../src/areas/agreements/verification/page-texts.ts';
import {
  renderAgreement,
  renderComparison,
  renderMissingFile,
  renderUnknownAgreement,
} from '../../../src/areas/agreements/verification/page.ts';
import type { AgreementVerification, FileComparison } from '../../../src/areas/agreements/verification/wire.ts';
import { languages } from '../../../src/http/language.ts';
import { htmlOf } from '../../support/texts/page-html.ts';

const facts: AgreementVerification = {
  status: 'confirmed',
  valid: true,
  number: 'A-2026-00001',
  version: 1,
  signer: { name: 'Ахметов Қайрат', position: 'Бас хатшы' },
  signed_at: '2026-03-01T23:30:00+05:00',
  original_sha256: 'a'.repeat(64),
  scan_sha256: 'b'.repeat(64),
  checked_at: '2026-03-02T10:11:12+05:00',
};
const pageOf = (changed: Partial<AgreementVerification>) => ({ facts: { ...facts, ...changed }, path: '/a/token', scanUrl: null });
const comparison: FileComparison = {
  match: true,
  document: 'scan',
  sha256: 'c'.repeat(64),
  number: facts.number,
  status: 'confirmed',
  valid: true,
};

describe.each(languages)('the page in %s', (language) => {
  const texts = agreementPageTexts[language];

  test.each(contractStatuses)('explains the status %s', (status) => {
    const valid = status === 'confirmed';
    const page = htmlOf(renderAgreement(pageOf({ status, valid }), language));
    const words = [
      texts.statuses[status],
      valid ? texts.heading.valid : texts.heading.invalid,
      facts.number,
      facts.signer.name,
      '10:11:12',
    ];
    for (const part of words) expect(page).toContain(part.replaceAll("'", '&#39;'));
    expect(page).toContain(`class="verdict ${valid ? 'valid' : 'invalid'}"`);
    expect(page).toContain('enctype="multipart/form-data"');
    expect(page).not.toContain('<script');
  });

  test.each([
    [{ document: 'scan', valid: true }, 'valid', texts.comparison.heading.valid],
    [{ document: 'original', valid: false, status: 'cancelled' }, 'invalid', texts.comparison.heading.invalid],
    [{ document: null, match: false }, 'invalid', texts.comparison.heading.other],
  ] as const)('a file that is %j: %s', (changed, kind, heading) => {
    const page = htmlOf(renderComparison(pageOf({}), { ...comparison, ...changed }, language));
    for (const part of [`class="verdict ${kind}"`, `<h1>${heading}</h1>`, comparison.sha256, texts.fileHash, texts.heading.valid])
      expect(page).toContain(part);
    // No language links: a link could not repeat the check without the file.
    expect(page).not.toContain('<nav');
  });

  test('explains an unknown agreement and a missing file', () => {
    expect(htmlOf(renderUnknownAgreement(language, ''))).toContain(texts.heading.unknown);
    expect(htmlOf(renderMissingFile(pageOf({}), language))).toContain(texts.form.missing);
  });
});

test('values of a record are escaped', () => {
  const evil = '"><script>alert(1)</script>\'&';
  const page = htmlOf(
    renderAgreement({ ...pageOf({ number: evil, replaced_by: evil, signer: { name: evil, position: evil } }), path: evil }, 'en'),
  );
  expect(page).not.toContain('<script');
});
