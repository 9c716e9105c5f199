import { athleteData, organizerData } from '../../../src/areas/profiles/profile-data.ts';
import fc from 'fast-check';
import type { z } from 'zod';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createContractBody, replaceContractBody } from '../../../src/areas/agreements/contracts/wire.ts';
import { signingBody } from '../../../src/areas/agreements/signing/wire.ts';
import { defaultTemplate } from '../../../src/areas/agreements/templates/seed-templates.ts';
import { createTemplateBody, updateTemplateBody } from '../../../src/areas/agreements/templates/wire.ts';
import { createBody, updateBody } from '../../../src/areas/applications/wire.ts';
import { updateServiceBody } from '../../../src/areas/catalog/wire.ts';
import { createEventBody, updateEventBody } from '../../../src/areas/competitions/events/wire.ts';
import { findTextProblem, fontCoverage, splitByFont } from '../../../src/platform/pdf/printable-text.ts';

const require = createRequire(import.meta.url);
const fontkit = createRequire(createRequire(require.resolve('pdfmake')).resolve('pdfkit'))('fontkit') as {
  create(bytes: Uint8Array): { characterSet: number[] };
};
const charactersOf = (path: string) => new Set(fontkit.create(readFileSync(path)).characterSet);
const roboto = (style: string) => join(dirname(require.resolve('pdfmake/package.json')), 'fonts', 'Roboto', `Roboto-${style}.ttf`);
const noto = (style: string) =>
  join(dirname(require.resolve('@fontsource/noto-sans/package.json')), 'files', `noto-sans-latin-ext-${style}.woff`);

/** Neither a control character nor the sign of a missing glyph. */
const isShown = (codePoint: number) => !/[\p{C}\ufffc\ufffd]/u.test(String.fromCodePoint(codePoint));
const isMark = (codePoint: number) => /\p{M}/u.test(String.fromCodePoint(codePoint));
const sorted = (codePoints: Iterable<number>) => [...codePoints].toSorted((left, right) => left - right);

test('the table has exactly the characters of the font files', () => {
  const styles = ['Regular', 'Medium', 'Italic', 'MediumItalic'].map((style) => charactersOf(roboto(style)));
  const inAll = ([first = new Set<number>(), ...others]: Set<number>[]) =>
    new Set([...first].filter((codePoint) => others.every((one) => one.has(codePoint))));
  const main = inAll(styles);
  expect(sorted(fontCoverage.main)).toEqual(sorted(main).filter(isShown));
  const fallback = inAll(['400-normal', '500-normal', '400-italic', '500-italic'].map((style) => charactersOf(noto(style))));
  // A combining mark of another font would not be placed over its letter.
  const beside = sorted(fallback).filter((codePoint) => !main.has(codePoint) && isShown(codePoint) && !isMark(codePoint));
  expect(sorted(fontCoverage.fallback)).toEqual(beside);
});

describe('a text', () => {
  const alphabet = [
    ...'АаӘәБбВвГгҒғДдЕеЁёЖжЗзИиЙйКкҚқЛлМмНнҢңОоӨөПпРрСсТтУуҰұҮүФфХхҺһЦцЧчШшЩщЪъЫыІіЬьЭэЮюЯя',
    ...'ABCXYZabcxyzÄÖÜäöüßÉéñçşğıİŁł0123456789',
    ...' .,:;!?-–—«»„“”‘’\'"…№§%&/()[]+=*@#°€₽₸\u00a0',
  ];
  const usual = fc.array(fc.constantFrom(...alphabet), { maxLength: 300 }).map((letters) => letters.join(''));

  test('of usual letters, figures and signs is valid, composed or not', () => {
    fc.assert(
      fc.property(usual, fc.boolean(), (text, isMultiline) => {
        expect(findTextProblem(text, isMultiline)).toBeNull();
        expect(findTextProblem(text.normalize('NFD'), isMultiline)).toBeNull();
      }),
    );
    expect(findTextProblem(defaultTemplate.body, true)).toBeNull();
  });

  test('with one other character is refused with this character', () => {
    const other = fc.constantFrom('😀', '→', '漢', 'ש', '\u200b', '\u00ad', '\ue001', '\ufffd', '\u2028', '\ud800', '\u0000', '⃝');
    fc.assert(
      fc.property(usual, other, usual, (before, character, after) => {
        expect(findTextProblem(before + character + after, true)?.characters).toEqual([character]);
      }),
    );
    expect(findTextProblem('Кубок 😀 → 😀')).toEqual({
      characters: ['😀', '→'],
      message: 'has characters that documents cannot show: 😀 (U+1F600), → (U+2192)',
    });
  });

  test.each([...'\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'])(
    'that holds %j changes its direction',
    (control) => {
      expect(findTextProblem(`Кубок${control}1`)).toMatchObject({ characters: [control], message: expect.stringContaining('direction') });
    },
  );

  test('has at most two combining marks on a letter, composed or not', () => {
    const mark = '\u0301';
    const withMarks = (count: number) => `e${mark.repeat(count)}`;
    expect([0, 1, 2].map((count) => findTextProblem(withMarks(count).repeat(50)))).toEqual([null, null, null]);
    for (const count of [3, 4, 98]) expect(findTextProblem(`Аз${withMarks(count)}`)).toMatchObject({ characters: [mark] });
    expect(findTextProblem('e\u0301\u0300\u0303')).toMatchObject({ characters: ['\u0301', '\u0300', '\u0303'] });
  });

  test('may contain line breaks and tabs only if it allows several lines', () => {
    expect(findTextProblem('Бір\r\nекі\tүш', true)).toBeNull();
    expect(findTextProblem('Бір\nекі')?.characters).toEqual(['\n']);
  });

  test('is split where the font changes, without loss', () => {
    expect(splitByFont('100 ₸ және 5₺')).toEqual(['100 ', '₸', ' және 5₺']);
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => splitByFont(text).join('') === text));
  });
});

describe('every field that a document prints', () => {
  const application = (data: object) => ({ profile_id: 1, service_id: 1, data });
  const organizer = { director_name: 'А', director_position: 'А', organization_name: 'А', legal_address: 'А', phone: '+77010000000' };
  const title = { ru: 'А', kk: 'А', en: 'А' };
  const place = { x: 1, y: 1, scale: 1 };
  const fileId = '0190a000-0000-7000-8000-000000000000';
  const printed: [string, z.ZodType, Record<string, unknown>, string[]][] = [
    ['athlete', athleteData, { birth_date: '1990-05-17', gender: 'male', citizenship: 'KZ' }, ['last_name', 'first_name', 'middle_name']],
    [
      'organizer',
      organizerData,
      { ...organizer, email: 'club@example.kz' },
      ['organization_name', 'director_name', 'director_position', 'legal_address'],
    ],
    ['new application', createBody, application({}), ['data.team', 'data.sport']],
    ['changed application', updateBody, { data: {} }, ['data.team', 'data.sport']],
    [
      'event',
      createEventBody,
      { profile_id: 1, service_id: 1, discipline_id: 1, starts_at: '2027-06-05', ends_at: '2027-06-06' },
      ['title', 'location'],
    ],
    ['changed event', updateEventBody, {}, ['title', 'location']],
    ['agreement', createContractBody, { event_id: 1, data: {} }, ['data.notes']],
    ['replaced agreement', replaceContractBody, { reason: 'Another one', data: {} }, ['data.notes']],
    ['template', createTemplateBody, { title: 'А', body: 'А' }, ['title', 'body']],
    ['changed template', updateTemplateBody, {}, ['title', 'body']],
    [
      'signing',
      signingBody,
      {
        signer_name: 'А',
        signer_position: 'А',
        signature_file_id: fileId,
        stamp_file_id: fileId,
        layout: { signature: place, stamp: place },
      },
      ['signer_name', 'signer_position'],
    ],
    ['service', updateServiceBody, { title }, ['title.ru', 'title.kk', 'title.en', 'category']],
  ];
  test.each(printed.flatMap(([what, schema, body, paths]) => paths.map((path) => [what, path, schema, body] as const)))(
    '%s, %s',
    (_what, path, schema, body) => {
      const unprintable = (text: string) => {
        const [first = '', second] = path.split('.');
        const value = second === undefined ? text : { ...(body[first] as object), [second]: text };
        const { error } = schema.safeParse({ ...body, [first]: value });
        return (error?.issues ?? []).some((issue) => issue.path.join('.') === path && issue.code === 'custom');
      };
      expect([unprintable('Кубок 😀'), unprintable('Кубок ₸')]).toEqual([true, false]);
    },
  );
});
