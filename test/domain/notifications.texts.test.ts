import { extensions } from '../../src/areas.ts';
import { documentNotifications } from '../../src/documents/notifications.ts';
import { notificationKinds } from '../../src/notifications/index.ts';
import { invoiceNotifications } from '../../src/wallet/notifications.ts';

const kinds = extensions.of(notificationKinds).flatMap((entered) => Object.values(entered));

const facts = {
  note: 'the stamp is missing',
  reason: 'a reason',
  number: 'KZ-N-2026-000001',
  valid_until: '2026-12-31',
  amount_minor: 1234550,
  document_type: 'medical',
  applications: '12, 15',
  expires_at: '2026-03-01',
  service: 'National certificate A',
  year: 2026,
};

describe('words of notifications', () => {
  test.each(kinds.map((kind) => [kind.type, kind] as const))(
    '%s has a title and whole sentences, with its facts and without',
    (_, kind) => {
      for (const given of [facts, {}]) {
        const { title, text } = kind.write(given, '7');
        expect(title.length).toBeGreaterThan(0);
        expect(title.length).toBeLessThanOrEqual(200);
        expect(text).toMatch(/^[A-Z].*\.|missing$/);
        expect(text).not.toMatch(/undefined|null|NaN| {2}| \./);
      }
    },
  );

  test('a decision carries the note, an expiry names the document and the applications', () => {
    expect(documentNotifications['document.changes'].write(facts, '7').text).toBe(
      'Your document 7 (medical) needs a correction. Note of the federation: the stamp is missing',
    );
    expect(documentNotifications['document.expired'].write(facts, '7').text).toBe(
      'Your document 7 (medical) expired after 2026-03-01. These applications stand on it: 12, 15. Attach a valid document and submit them again; nothing is charged twice.',
    );
  });

  test('money is shown with two decimals', () => {
    expect(invoiceNotifications['invoice.paid'].write({ ...facts, number: '1042' }, '3').text).toBe(
      'The bank has confirmed invoice 1042; your wallet was credited with 12345.50 KZT.',
    );
  });
});
