import { presentStatuses } from '../../../src/areas/verification/read-listed-statuses.ts';
import { query } from '../../../src/platform/commands/command.ts';
import { fixturesOf } from '../../support/factories.ts';
import { goodFacts, verificationCases } from '../../support/credentials/verification-cases.ts';
import { useRegistry } from '../../support/use-registry.ts';

/** The table of cases against stored records: the online answer on a day, and the value in an edition of that day. */
const { api, owner } = await useRegistry();
/** Application, payment, profile, its two documents, token and place of one certificate, whose facts each case sets. */
let certificate: { id: number; payment: number; profileId: number; documentIds: number[]; token: string; place: number };
let year: number;

beforeAll(async () => {
  const { now } = (await owner.get('/sandbox/clock')).body.data;
  year = Number(now.slice(0, 4)) + 1;
  // Before all days of the table: the present facts answer for days to come.
  await api.travelTo(`${year}-01-15T12:00:00+05:00`);
  const { id } = await fixturesOf(api).application(owner, { status: 'approved' });
  const application = owner.expect(200, await owner.get(`/applications/${id}`)).body.data;
  const [row] = await api.sql<{ place: number; payment: number }>(
    'select place, payment_transaction_id as payment from credentials join applications on id = application_id where id = $1',
    [id],
  );
  if (row === undefined) throw new Error('the certificate has no place');
  certificate = {
    id,
    payment: row.payment,
    profileId: application.profile_id,
    documentIds: application.document_ids,
    token: application.verification_url.replace(/^.*\/v\//, ''),
    place: row.place,
  };
  // The facts are written below as no command could: the processes must not put them right.
  await api.stopWorkers();
});

/** The table is of 2026; days of the past would be read from the history. */
const shifted = (day: string) => day.replace(/^\d{4}/, (written) => String(Number(written) - 2026 + year));

test.each(verificationCases.map((one) => [one.name, one] as const))('VER-12: %s', async (_, { facts: change, day, state, listed }) => {
  const { id, payment, profileId, documentIds, token, place } = certificate;
  const facts = { ...goodFacts, ...change };
  await api.sql(
    `update applications set status = $2, resubmission_due_since = $3, amount_minor = 100,
       paid = $4, payment_transaction_id = case when $4 then $5::int end, paid_at = case when $4 then submitted_at end where id = $1`,
    [id, facts.status, facts.isResubmissionDue ? new Date() : null, facts.isPaid, payment],
  );
  await api.sql('update certificates set valid_from = $2, valid_until = $3 where application_id = $1', [
    id,
    shifted(facts.validFrom),
    shifted(facts.validUntil),
  ]);
  await api.sql(
    `update profiles set kind = $2, status = $3, review_note = $4, photo_status = coalesce($5, photo_status), photo_review_note = $6,
       photo_id = case when $7 then (select id from files limit 1) end where id = $1`,
    [
      profileId,
      facts.photo === null ? 'organizer' : 'athlete',
      facts.profile.status,
      facts.profile.hasNote ? 'A note.' : null,
      facts.photo?.status ?? null,
      facts.photo?.hasNote === true ? 'A note.' : null,
      facts.photo?.isPresent ?? false,
    ],
  );
  await api.sql('delete from application_documents where application_id = $1', [id]);
  for (const [index, { status, expiresAt }] of facts.documents.entries()) {
    const document = documentIds[index];
    await api.sql('update documents set status = $2, expires_at = $3 where id = $1', [
      document,
      status,
      expiresAt === null ? null : shifted(expiresAt),
    ]);
    await api.sql('insert into application_documents (application_id, document_id) values ($1, $2)', [id, document]);
  }
  const { data } = owner.expect(200, await owner.get(`/verify/${token}?on=${shifted(day)}`)).body;
  expect([data.state, data.valid]).toEqual([state, state === 'valid']);
  const noon = new Date(`${shifted(day)}T12:00:00+05:00`);
  const places = await query(api.platform, (db) => presentStatuses.readPage(db, 1, place - 1, 1, noon));
  expect(places).toEqual([{ place, status: listed }]);
});
