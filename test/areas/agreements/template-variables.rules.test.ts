import fc from 'fast-check';
import { defaultTemplate } from '../../../src/areas/agreements/templates/seed-templates.ts';
import {
  fillTemplate,
  findUnknownVariables,
  markVariables,
  templateVariables,
  type TextVariable,
  textVariables,
} from '../../../src/areas/agreements/templates/variables.ts';

/** Texts with every combination of braces and names. */
const fragment = fc.oneof(
  fc.constantFrom('{', '}', '{{', '}}', 'a', '\n', ' ', 'EVENT_TITLE', 'DOCUMENT_QR', '{{EVENT_TITLE}}', '{{DOCUMENT_QR}}'),
  fc.string({ maxLength: 5 }),
);
const body = fc.array(fragment, { maxLength: 30 }).map((pieces) => pieces.join(''));

const valuesOf = (value: (name: TextVariable) => string) =>
  // The list has every key of the record.
  Object.fromEntries(textVariables.map((name) => [name, value(name)])) as Record<TextVariable, string>;
const asWritten = valuesOf((name) => `{{${name}}}`);
const textOf = (parts: ReturnType<typeof fillTemplate>) =>
  parts.map((part) => (part.kind === 'text' ? part.text : `{{${part.mark}}}`)).join('');

describe('variables of a template', () => {
  it('are thirteen, each a text or a mark', () => {
    expect(templateVariables).toHaveLength(13);
    expect(templateVariables.toSorted()).toEqual([...textVariables, ...markVariables].toSorted());
  });

  it('are replaced by values and marks in their place', () => {
    const parts = fillTemplate(
      'No {{DOCUMENT_NUMBER}} of {{EVENT_TITLE}}\n{{DOCUMENT_QR}}{{FEDERATION_STAMP}} end',
      valuesOf((name) => (name === 'DOCUMENT_NUMBER' ? 'A-2026-00001' : 'Ралли «Қазақстан»')),
    );
    expect(parts).toEqual([
      { kind: 'text', text: 'No A-2026-00001 of Ралли «Қазақстан»\n' },
      { kind: 'mark', mark: 'DOCUMENT_QR' },
      { kind: 'mark', mark: 'FEDERATION_STAMP' },
      { kind: 'text', text: ' end' },
    ]);
  });

  it('replaced by themselves give the same text', () => {
    fc.assert(fc.property(body, (text) => textOf(fillTemplate(text, asWritten)) === text));
  });

  it('are not replaced inside a value', () => {
    fc.assert(
      fc.property(body, (value) => {
        const parts = fillTemplate(
          '{{EVENT_TITLE}}',
          valuesOf(() => value),
        );
        return parts.every(({ kind }) => kind === 'text') && textOf(parts) === value;
      }),
    );
  });

  it.each([
    ['{{EVENT_NAME}} {{DOCUMENT_NUMBER}} {{event_title}} {{EVENT_NAME}}', ['EVENT_NAME', 'event_title']],
    ['{{ EVENT_TITLE }}', [' EVENT_TITLE ']],
    ['{{}}', ['']],
    ['{{EVENT_TITLE', ['EVENT_TITLE']],
    ['{{{EVENT_TITLE}}}', ['{EVENT_TITLE']],
    ['{{toString}} {{__proto__}}', ['toString', '__proto__']],
    [`{{${'X'.repeat(100)}}}`, [`${'X'.repeat(60)}…`]],
    ['{EVENT_TITLE} }} {', []],
  ])('unknown names are found in %s', (text, names) => expect(findUnknownVariables(text)).toEqual(names));

  it('leave no braces in a text without unknown names', () => {
    fc.assert(
      fc.property(body, (text) => {
        const isClean = findUnknownVariables(text).length === 0;
        const filled = fillTemplate(
          text,
          valuesOf(() => ''),
        );
        return !isClean || !filled.some((part) => part.kind === 'text' && part.text.includes('{{EVENT'));
      }),
    );
  });

  it('are found in linear time for any braces', () => {
    const before = process.threadCpuUsage();
    for (const text of ['{{'.repeat(50_000), '{'.repeat(100_000), '{{a'.repeat(30_000) + '}}'.repeat(30_000)]) {
      findUnknownVariables(text);
      fillTemplate(text, asWritten);
    }
    expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(3_000);
  });

  it('all appear in the default template, and no others', () => {
    expect(findUnknownVariables(defaultTemplate.body)).toEqual([]);
    for (const name of templateVariables) expect(defaultTemplate.body).toContain(`{{${name}}}`);
    expect(defaultTemplate.title.length).toBeLessThanOrEqual(200);
  });
});
