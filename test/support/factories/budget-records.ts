import type { Route } from '../../../src/http/define-route.ts';
import type { TestApi } from '../test-api.ts';

/** The record in a path below `/profiles`, `/documents` and so on (`recordKindOf`). */
export type Records = Record<string, string | number>;

/** Routes whose statements are counted. A credential may first have to be signed by a worker. */
export const isPage = ({ name, method, atRoot, sandboxOnly, response }: Route) =>
  method === 'GET' && !atRoot && !sandboxOnly && response.data !== undefined && name !== 'getCredential';

/** Names the kind of record in a path. */
export function recordKindOf(path: string): string {
  const [, first = '', second = '', third = ''] = path.split('/');
  if ((first === 'contracts' && second === 'verify') || (first === 'admin' && second !== 'records')) return `${first}/${second}`;
  return first === 'admin' ? `${third}s` : first;
}

/** Unpaid invoices. */
export async function insertInvoices(api: TestApi, ownerId: number, count: number): Promise<void> {
  await api.sql(
    `insert into invoices (owner_id, number, amount_minor, status, idempotency_key, expires_at, created_at, updated_at)
       select $1::int, (3000000000 + coalesce((select max(id) from invoices), 0) + n)::text, 10000, 'created', gen_random_uuid(),
         now(), now(), now() from generate_series(1, $2::int) n`,
    [ownerId, count],
  );
}

const ten = 'generate_series(1, 10) n';

/** Ten more facts about the same records and lists, including those that only old records have. */
export async function addTenFacts(api: TestApi, records: Records, by: { ownerId: number; administratorId: number }): Promise<void> {
  const { applications: applicationId, documents: documentId, invoices: invoiceId, profiles: profileId, events: eventId } = records;
  await insertInvoices(api, by.ownerId, 10);
  await api.sql(`insert into application_documents select $1, id from documents where profile_id = $2 on conflict do nothing`, [
    applicationId,
    profileId,
  ]);
  await api.sql(
    `insert into review_decisions (subject_kind, subject_id, decision, from_status, to_status, request_id, actor_id, at)
       select kind, id, 'changes', 'pending', 'changes', 'budget', $3, now()
       from ${ten}, (values ('document', $1::int), ('application', $2::int)) as subject (kind, id)`,
    [documentId, applicationId, by.administratorId],
  );
  await api.sql(
    `insert into audit_events (action, subject_kind, subject_id, request_id, at, data)
       select kind || '.updated', kind, id, 'budget', now(), '{}'
       from ${ten}, (values ('document', $1), ('application', $2), ('invoice', $3)) as subject (kind, id)`,
    [String(documentId), String(applicationId), String(invoiceId)],
  );
  await api.sql(
    `insert into audit_events (action, subject_kind, subject_id, request_id, at, data)
       select 'contract.reminded', 'contract', $1, 'budget', now(), '{}' from ${ten}`,
    [String(records['contracts'])],
  );
  await api.sql(
    `insert into application_history (application_id, at, step, actor, request_id, revision, status, is_settled, is_resubmission_due, document_ids)
       select id, now(), 'updated', 'owner', 'budget', revision, status, paid, false, '{}' from applications, ${ten} where id = $1`,
    [applicationId],
  );
  await api.sql(
    `insert into bank_answers (invoice_id, state, invoice_number, amount_minor, currency, terminal, verdict, at)
       select $1, 'pending', '3000000001', 10000, 'KZT', 'TEST0001', 'pending', now() from ${ten}`,
    [invoiceId],
  );
  await api.sql(
    `insert into registration_history (registration_id, at, status, actor, request_id)
       select $1, now(), 'submitted', 'athlete', 'budget' from ${ten}`,
    [records['event-registrations']],
  );
  await api.sql(
    `insert into notifications (user_id, type, subject_kind, subject_id, facts, created_at)
       select $1, 'document.approved', 'document', n::text, '{}', now() from ${ten}`,
    [by.ownerId],
  );
  await api.sql(`insert into archived_vehicles (profile_id, data, archived_at) select $1, '{}', now() from ${ten}`, [profileId]);
  await api.sql(
    `insert into api_keys (user_id, name, prefix, key_hash, scopes, created_at, expires_at)
       select user_id, name, prefix, md5(n::text) || md5(n::text), scopes, created_at, expires_at from api_keys, ${ten} where user_id = $1`,
    [by.ownerId],
  );
  await api.sql(
    `insert into additional_documents (event_id, file_id, title, kind, created_at, updated_at)
       select $1, $2, 'Bulletin ' || n, 'bulletin', now(), now() from ${ten}`,
    [eventId, records['files']],
  );
  await api.sql(
    `insert into participants (event_id, application_id, profile_id, name, certificate_number, place, created_at, updated_at)
       select $1, c.application_id, a.profile_id, c.snapshot ->> 'holderName', c.number, row_number() over (), now(), now()
       from certificates c join applications a on a.id = c.application_id limit 10 on conflict do nothing`,
    [eventId],
  );
  await api.sql(
    `with copied as (
       insert into events (owner_id, profile_id, service_id, discipline_id, title, location, starts_at, ends_at, status, published_at, created_at, updated_at)
         select owner_id, profile_id, service_id, discipline_id, title, location, starts_at, ends_at, status, published_at, created_at, updated_at
         from events, ${ten} where id = $1 returning id)
       insert into event_stages (event_id, stage, status) select copied.id, stage, status from copied, event_stages where event_id = $1`,
    [eventId],
  );
  // In both of the owner's conversations, and chats of others with the federation.
  await api.sql(
    `insert into messages (conversation_id, side, author_id, text, created_at)
       select c.id, 'athlete', athlete_id, 'One of ten more messages', now() from conversations c, ${ten}
       where athlete_id = $1 and (kind = 'federation' or registration_id = $2)`,
    [by.ownerId, records['event-registrations']],
  );
  await api.sql(
    `with chats as (
       insert into conversations (kind, athlete_id, created_at)
         select 'federation', id, now() from users where id not in (select athlete_id from conversations where kind = 'federation') limit 10 returning id, athlete_id)
       insert into messages (conversation_id, side, author_id, text, created_at) select id, 'athlete', athlete_id, 'A message', now() from chats`,
  );
  await api.sql(
    `update conversations c set message_count = m.n, counterpart_unread = m.n, last_message_id = m.last, last_message_at = now()
       from (select conversation_id, count(*) as n, max(id) as last from messages group by 1) m where m.conversation_id = c.id`,
  );
}
