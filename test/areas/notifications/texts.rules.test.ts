import fc from 'fast-check';
import { extensions } from '../../../src/registry/areas.ts';
import { type NotificationFact, type NotificationFacts, notificationKinds, wordsOf } from '../../../src/areas/notifications/index.ts';
import { type Language, languages } from '../../../src/http/language.ts';

const entered = extensions.of(notificationKinds);
const types = entered.flatMap((kinds) => Object.keys(kinds));

function write(type: string, facts: NotificationFacts, language: Language, subjectId = '7') {
  return wordsOf(entered, { type, facts, subjectId, title: null, text: null }, language);
}

/** A value for each fact. Text that a person writes is Cyrillic here, so a Latin letter comes from the registry. */
const values: Record<string, fc.Arbitrary<NotificationFact>> = {
  note: fc.constant('нет печати'),
  reason: fc.constant('болею в этом году'),
  number: fc.constant('1042'),
  replaced_by: fc.constant('1043'),
  valid_until: fc.constantFrom('2026-12-31', '2027-05-01'),
  amount_minor: fc.integer({ min: 1, max: 500_000_000 }),
  direction: fc.constantFrom('credit', 'debit'),
  document_type: fc.constantFrom('medical', 'identity', 'foreign_naf_license', 'a type of tomorrow'),
  applications: fc.array(fc.integer({ min: 1, max: 999 }), { maxLength: 3 }),
  expires_at: fc.constant('2026-03-01'),
  expired: fc.array(
    fc.record(
      {
        document_id: fc.integer({ min: 1, max: 999 }),
        document_type: fc.constantFrom('medical', 'driver'),
        expires_at: fc.constant('2026-03-01'),
        applications: fc.array(fc.integer({ min: 1, max: 999 }), { maxLength: 3 }),
      },
      { requiredKeys: ['document_id'] },
    ),
    { maxLength: 2 },
  ),
  service: fc.constant({ ru: 'Членский билет', kk: 'Мүшелік билет', en: 'Membership card' }),
  year: fc.constant(2026),
  record: fc.constantFrom('profile', 'document'),
  fields: fc.array(fc.constantFrom('iin', 'last_name', 'expires_at', 'a field of tomorrow'), { maxLength: 3 }),
  side: fc.constantFrom('athlete', 'organizer', 'new', 'old'),
  event_id: fc.constant(5),
  day: fc.constant('2026-06-05'),
  start_number: fc.constant('17'),
  stage: fc.constantFrom('agreement', 'details', 'regulations', 'results'),
  title: fc.constant('Кубок'),
  deadline: fc.constantFrom('ahead', 'passed'),
  due_on: fc.constant('2026-05-20'),
  until: fc.constant('2026-06-01T18:00:00+05:00'),
  kind: fc.constantFrom('bulletin', 'other'),
  days: fc.constantFrom(7, 30, 60),
  data: fc.constantFrom('refused', 'other'),
  change: fc.constantFrom('closed', 'other'),
  agreement: fc.constantFrom('missing', 'other'),
  cause: fc.constantFrom('blocked', 'other_account', 'password'),
};
const someFacts = fc.record(values, { requiredKeys: [] }).map((facts) => facts as NotificationFacts);

describe('texts of notifications', () => {
  test.each(types.flatMap((type) => languages.map((language) => [type, language] as const)))(
    '%s in %s: a title and whole sentences, whichever facts there are',
    (type, language) => {
      fc.assert(
        fc.property(someFacts, (facts) => {
          const { title, text } = write(type, facts, language);
          expect(title).toMatch(/^\p{Lu}[^.]*[^.\s]$/u);
          expect(title.length).toBeLessThanOrEqual(200);
          expect(text).toMatch(/^(\p{Lu}|№ \d).*(\.|нет печати|болею в этом году)$/u);
          for (const words of [title, text]) {
            expect(words).not.toMatch(/undefined|null|NaN|\[object|tomorrow/);
            expect(words).not.toMatch(/\s\s|\s[.,;:)»”]|[(«“]\s|\.\.|[,;:]\.|\(\)|[<>]|^\s|\s$/);
            // Between sentences: a full stop, a space, a capital letter.
            expect(words).not.toMatch(/[.][^\s,)\d]/);
            if (language !== 'en') expect(words.replaceAll('QR', '')).not.toMatch(/[a-z]/i);
            else expect(words.replaceAll(/нет печати|болею в этом году|Кубок/g, '')).not.toMatch(/\p{Script=Cyrillic}/u);
          }
        }),
        { numRuns: 40 },
      );
    },
  );

  test.each(types)('%s differs from language to language', (type) => {
    const [ru, kk, en] = languages.map((language) => write(type, {}, language));
    expect(new Set([ru?.text, kk?.text, en?.text]).size).toBe(3);
    // The letters that Kazakh has and Russian has not.
    expect(kk?.text).toMatch(/[әғқңөұүһі]/i);
    expect(ru?.text).not.toMatch(/[әғқңөұүһі]/i);
  });

  test('NOT-2: every fact of a text appears in each language', () => {
    const facts = { document_type: 'medical', expires_at: '2026-03-01', applications: [12, 15] };
    expect(languages.map((language) => write('document.expired', facts, language).text)).toEqual([
      'Срок действия Вашего документа № 7 (медицинская справка) истёк, последний день – 1 марта 2026 г. На нём основаны заявки: 12, 15. Приложите действующий документ и подайте их снова; повторно деньги не списываются.',
      'Сіздің № 7 құжатыңыздың (медициналық анықтама) қолданылу мерзімі аяқталды, соңғы күні – 2026 ж. 1 наурыз. Оған негізделген өтінімдер: 12, 15. Жарамды құжатты тіркеп, оларды қайта жіберіңіз; ақша екінші рет алынбайды.',
      'Your document 7 (medical certificate) expired after 1 March 2026. Linked applications: 12, 15. Attach a valid document and submit them again; nothing is charged twice.',
    ]);
  });

  test('text that a person wrote stays unchanged, at the end', () => {
    const note = 'The stamp is missing... <b>See</b>  page 2';
    for (const language of languages)
      expect(write('document.changes', { note }, language).text).toMatch(new RegExp(`: ${note.replaceAll('.', '\\.')}$`));
  });

  test('money and days follow the format of each language', () => {
    const plain = (type: string, facts: NotificationFacts, language: Language) =>
      write(type, facts, language).text.replaceAll('\u00a0', ' ');
    const paid = { number: '1042', amount_minor: 1_234_550 };
    expect(plain('invoice.paid', paid, 'en')).toBe('The bank has confirmed invoice 1042; your wallet was credited with KZT 12,345.50.');
    expect(plain('invoice.paid', paid, 'ru')).toContain('зачислено 12 345,50 ₸.');
    expect(plain('invoice.paid', paid, 'kk')).toContain('12 345,50 ₸ түсті.');
    const opened = { title: 'Кубок', until: '2026-06-01T18:00:00+05:00' };
    expect(plain('event_stage.intake_opened', opened, 'ru')).toMatch(/, до 1 июня 2026 г\. в 18:00\.$/);
  });

  test('an unknown type is shown by its name, and stored texts stay', () => {
    expect(write('chess.played', {}, 'kk')).toEqual({ title: 'chess.played', text: '' });
    const old = { type: 'photo.approved', facts: {}, subjectId: '7', title: 'Photo approved', text: 'As it was then.' };
    expect(wordsOf(entered, old, 'ru')).toEqual({ title: 'Photo approved', text: 'As it was then.' });
  });
});
