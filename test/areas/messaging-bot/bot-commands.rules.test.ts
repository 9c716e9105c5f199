import fc from 'fast-check';
import { botCommands, botTexts, readMessage } from '../../../src/areas/messaging-bot/texts.ts';
import { certificatesText, helpText, missingText } from '../../../src/areas/messaging-bot/write-answer.ts';
import { languages } from '../../../src/http/language.ts';
import { wordsOfMoney } from '../../../src/http/response/in-words.ts';

describe('a message to the bot', () => {
  test.each([
    ['/start', { kind: 'start', token: null }],
    ['/start kMNvTq8hcwYSjOBnyXvs3bZ0H1pA7dLr', { kind: 'start', token: 'kMNvTq8hcwYSjOBnyXvs3bZ0H1pA7dLr' }],
    ['/START@registry_bot  x ', { kind: 'start', token: 'x' }],
    ['/balance', { kind: 'command', command: 'balance' }],
    ['/balance@registry_bot', { kind: 'command', command: 'balance' }],
    ['/balance now', { kind: 'command', command: 'balance' }],
    ['/start x y', { kind: 'other' }],
    ['/approve 12', { kind: 'other' }],
    ['balance', { kind: 'other' }],
    [' /balance', { kind: 'other' }],
    ['', { kind: 'other' }],
  ])('%j', (text, said) => expect(readMessage(text)).toEqual(said));

  test('is parsed whatever it is, and a command is one of the menu', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.string().map((rest) => `/${rest}`),
        ),
        (text) => {
          const said = readMessage(text);
          if (said.kind === 'command') expect(botCommands).toContain(said.command);
        },
      ),
    );
  });
});

describe.each(languages)('the texts in %s', (language) => {
  test('the menu fits the limits of the platform', () => {
    for (const command of botCommands) {
      expect(command).toMatch(/^[a-z0-9_]{1,32}$/);
      expect(botTexts[language].commands[command].length).toBeLessThanOrEqual(256);
      expect(helpText(language)).toContain(`/${command}`);
    }
  });

  test('no answer exceeds the limit of the platform, however long titles are', () => {
    const title = { ru: 'т'.repeat(200), kk: 'т'.repeat(200), en: 't'.repeat(200) };
    const ten = <T>(one: T): T[] => Array.from({ length: 10 }, () => one);
    const rules = ['submitted', 'files', 'payment', 'identity_document', 'medical', 'consent', 'driver', 'document:12', 'no such rule'];
    const missing = missingText(language, {
      profiles: ten({ id: 2_147_483_647, part: 'profile', what: 'correct' } as const),
      documents: ten({ type: 'foreign_naf_license' } as const),
      applications: ten({ id: 2_147_483_647, title, rules }),
      isMore: true,
    });
    expect(missing.length).toBeLessThan(4_000);
    expect(missing).toContain(botTexts[language].more);
    const certificate = { title, validUntil: '2026-12-31', state: 'under_correction' } as const;
    const certificates = certificatesText(language, { certificates: ten(certificate), isMore: true });
    expect(certificates.length).toBeLessThan(4_000);
    expect(certificates).toContain(botTexts[language].more);
    expect(certificatesText(language, { certificates: [certificate], isMore: false })).not.toContain(botTexts[language].more);
  });

  test('the answer says that nothing is missing only when nothing is', () => {
    const nothing = { profiles: [], documents: [], applications: [] };
    expect(missingText(language, { ...nothing, isMore: false })).toBe(botTexts[language].nothingMissing);
    expect(missingText(language, { ...nothing, isMore: true })).toBe(botTexts[language].tooMany);
  });

  test('money has two decimals', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100_000_000_000 }), (minor) => {
        const digits = wordsOfMoney(minor, language).replace(/[^\d]/g, '');
        expect(Number(digits)).toBe(minor);
      }),
    );
  });
});
