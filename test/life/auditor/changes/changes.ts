import type { Person } from '../../world.ts';
import { createRandom } from '../../../support/random.ts';
import { type Area, type Asked, type Touched, touchedIds } from '../area.ts';
import { type Audience, ChangeReading, isOf } from './change-reading.ts';
import type { Change } from './change-readers.ts';
import type { Caller, Exchange } from '../exchange.ts';
import { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { type Judgement, refuse } from '../judgement.ts';
import type { Model } from '../model.ts';
import { followTouched } from '../applications/applications.ts';
import { isInForce, scopesInForce } from '../accounts/keys.ts';
import { ownerOfRecord } from '../accounts/records.ts';
import { organizerOf } from '../registrations/registrations-of.ts';

const keptMs = 90 * 86_400_000;
const pageSize = 100;

/** The log of changes, by `docs/rules/changes.md`. */
export const changesArea: Area = {
  judge: (model, asked, now) => (asked.operation === 'GET /changes' ? judgeReading(model, asked, now) : null),

  saw(model, { operation, params, body, data, requestId }) {
    if (operation.startsWith('POST /admin/ledger/')) model.changes.readers.belongs(`ledger/${data.id}`, data.user_id);
    if (operation !== 'PUT /admin/profiles/{id}/owner') return [];
    const { current_user_id: from, target_user_id: to } = body as { current_user_id: number; target_user_id: number };
    model.changes.readers.transfers({ profileId: Number(params['id']), from, to, requestId });
    return [];
  },

  read(model, exchange) {
    if (exchange.operation === 'GET /changes') takePage(model, exchange);
  },

  async ask(inquiry, touched) {
    const { model, people, same } = inquiry;
    await model.changes.follow(inquiry);
    for (const [name, reading] of model.readings) reading.settle(model.changes, model.audiences.get(name) ?? 0, 0);
    for (const { change } of model.changes.takeNew()) {
      const status = statusAfter(change.type);
      if (status !== null)
        same(`the change ${change.type} of ${change.subject} has the status of the fact (CHG-5)`, status, change.data.status);
      same(
        `the change ${change.type} of ${change.subject} has nothing of a person (CHG-5)`,
        [],
        Object.keys(change.data).filter((name) => !shown.has(name)),
      );
    }
    await inquiry.eventually(async () => {
      await followTouched(inquiry, touched);
      await model.changes.follow(inquiry);
      for (const [kind, id, status] of statusesOf(model, touched)) {
        const latest = model.changes.logged.findLast(
          ({ change }) => change.subject === `${kind}/${id}` && change.type.startsWith(`registry.${kind}.`),
        );
        if (latest) same(`the latest change of ${kind} ${id} has its status (CHG-5)`, status, latest.change.data.status);
      }
    });
    const latest = model.changes.logged.at(-1)?.readers;
    const someone = people[createRandom(model.changes.logged.length).between(0, Math.max(0, people.length - 1))];
    const concerned = people.filter(({ accountId }) => accountId === latest?.ownerId || accountId === latest?.organizerId);
    for (const person of new Set([...concerned, ...(someone ? [someone] : [])])) await readOn(inquiry, person);
  },

  async askAll(inquiry) {
    const { model } = inquiry;
    await model.changes.follow(inquiry);
    for (const reader of [...inquiry.people, ...inquiry.programs]) if (mayRead(inquiry, reader)) await readOn(inquiry, reader);
    await model.changes.follow(inquiry);
    for (const [name, reading] of model.readings) reading.settle(model.changes, model.audiences.get(name) ?? 0, 0);
    await askTypes(inquiry);
    await askAddresses(inquiry);
  },
};

/** A cursor is good for 90 days, from the reading that gave it (CHG-4). */
function judgeReading(model: Model, { query }: Pick<Asked, 'query'>, now: Date): Judgement {
  const after = new URLSearchParams(query).get('after');
  if (after === null) return 'accept';
  const at = model.cursors.get(after);
  if (!at) return 'open';
  const age = now.getTime() - at.getTime();
  // The clocks of the auditor and of the registry differ by a moment.
  if (Math.abs(age - keptMs) < 5000) return 'open';
  return age > keptMs ? refuse('cursor_expired') : 'accept';
}

/** Administrators read all changes, keys of theirs with `admin:read` only; others their own. Rights count at each read (CHG-3). */
function audienceOf(model: Model, { accountId, credential }: Caller): Audience {
  if (model.accounts.get(accountId)?.role !== 'administrator') return accountId;
  const key = model.keys.get(credential ?? '');
  return !key || scopesInForce(model, key).includes('admin:read') ? 'all' : accountId;
}

/** Compares a page with the log. A reader that asks from elsewhere than its last page is not followed. */
function takePage(model: Model, { by, query, data, meta, at }: Exchange): void {
  const wanted = new URLSearchParams(query);
  const after = wanted.get('after');
  const { logged } = model.changes;
  if (wanted.has('types')) {
    const entries = (data as Change[]).flatMap(({ id }) => logged[model.changes.indexOf(id)] ?? []);
    const foreign = entries.find((entry) => isOf(entry, audienceOf(model, by)) === false)?.change;
    if (foreign) throw new Finding(`${by.name} reads the changes of its own records alone (CHG-3)`, 'no such change', foreign);
    return;
  }
  const isFull = data.length > 0 && data.length >= Number(wanted.get('limit') ?? pageSize);
  const last = isFull ? (data as Change[]).at(-1) : undefined;
  // A full page ends at its last change, not at the time of the reading.
  model.cursors.set(meta.next, last ? new Date(last.time) : at);
  const [former, audience] = [model.audiences.get(by.name), audienceOf(model, by)];
  model.audiences.set(by.name, audience);
  // A promotion shows changes of others since the last page (CHG-3), which the reading may have left behind already.
  if (audience === 'all' && typeof former === 'number') model.readings.delete(by.name);
  const reading = model.readings.get(by.name);
  if (after === null || (!reading && !isFull)) {
    model.readings.set(by.name, new ChangeReading(by.name, meta.next, logged.length));
    return;
  }
  if (reading?.cursor !== after) return;
  reading.take(data as Change[], meta.next);
  reading.settle(model.changes, audience, isFull ? 0 : logged.length);
}

/** Reads as a reader of the life from its last cursor to the end. */
async function readOn(inquiry: Inquiry, reader: Person): Promise<void> {
  const { model, as, same } = inquiry;
  for (;;) {
    const cursor = model.readings.get(reader.name)?.cursor;
    const query = cursor === undefined ? '' : `?after=${encodeURIComponent(cursor)}&limit=${pageSize}`;
    const judgement = judgeReading(model, { query }, inquiry.now);
    const answer = await as(reader, 'GET /changes', { query });
    if (inquiry.mustSignIn(reader, answer)) return;
    if (judgement !== 'open') {
      const expected = judgement === 'accept' ? { status: 200, code: null } : { status: 410, code: 'cursor_expired' };
      same(`${reader.name} reads on from a cursor for 90 days (CHG-4)`, expected, {
        status: answer.status,
        code: answer.error?.code ?? null,
      });
    }
    if (answer.status !== 200) {
      model.readings.delete(reader.name);
      continue;
    }
    takePage(model, answer);
    if (answer.data.length < pageSize) return;
  }
}

function mayRead({ model, now }: Inquiry, { client, accountId }: Person): boolean {
  if (model.accounts.get(accountId)?.status !== 'active') return false;
  const key = model.keys.get(client.key ?? '');
  return client.key === null || (key !== undefined && isInForce(model, key, now) && scopesInForce(model, key).includes('changes:read'));
}

const shown: ReadonlySet<string> = new Set(['id', 'status', 'url']);

/** The status that a decision gives; null for another fact. */
function statusAfter(type: string): string | null {
  const [, , verb = ''] =
    /^registry\.(profile|photo|document|additional_document|application)\.(approved|changes|cancelled)\.v1$/.exec(type) ?? [];
  return verb === '' ? null : verb;
}

/** The status of each touched record by the model, which its latest change shows. */
function* statusesOf(model: Model, touched: readonly Touched[]): Generator<[kind: string, id: number, status: string]> {
  const statuses = {
    profile: (id: number) => model.profiles.get(id)?.data.status,
    document: (id: number) => model.documents.get(id)?.status,
    application: (id: number) => model.applications.get(id)?.status,
    event: (id: number) => model.events.get(id)?.status,
    contract: (id: number) => model.contracts.get(id)?.status,
    registration: (id: number) => model.registrations.get(id)?.status,
    additional_document: (id: number) => model.additionalDocuments.get(id)?.status,
  } as const;
  for (const kind of Object.keys(statuses) as (keyof typeof statuses)[])
    for (const id of touchedIds(touched, kind)) {
      const status = statuses[kind](id);
      if (status !== undefined) yield [kind, id, status];
    }
}

/** A filter of types leaves out what it does not name, and nothing else. */
async function askTypes(inquiry: Inquiry): Promise<void> {
  const { model, now, people, asAdministrator, as, same } = inquiry;
  const { marks, logged } = model.changes;
  const mark = marks.find(({ at }) => now.getTime() - at.getTime() < keptMs - 60_000);
  if (!mark) return;
  const since = logged.slice(mark.index);
  for (const [filter, chosen] of [
    ['registry.document.*', /^registry\.document\./],
    ['registry.application.approved.v1,registry.profile.*', /^registry\.(?:application\.approved\.v1|profile\.)/],
    ['*', /./],
  ] as const) {
    const query = `?after=${encodeURIComponent(mark.cursor)}&limit=50&types=${encodeURIComponent(filter)}`;
    for (const reader of [null, ...people]) {
      const { status, data } =
        reader === null ? await asAdministrator('GET /changes', { query }) : await as(reader, 'GET /changes', { query });
      if (status !== 200) continue;
      const audience = reader === null ? 'all' : audienceOf(model, reader);
      const unknown = new Set(since.filter((entry) => isOf(entry, audience) === null).map(({ change }) => change.id));
      const expected = since
        .filter((entry) => isOf(entry, audience) === true && chosen.test(entry.change.type))
        .map(({ change }) => change.id);
      const seen = (data as Change[]).map(({ id }) => id).filter((id) => !unknown.has(id));
      const most = unknown.size > 0 ? seen.length : 50;
      same(`${reader?.name ?? 'an administrator'} reads the types ${filter} alone (CHG-2)`, expected.slice(0, most), seen);
    }
  }
}

/** The address of a change shows its record to the reader of the change, while the record is there (CHG-5). */
async function askAddresses(inquiry: Inquiry): Promise<void> {
  const { model, people, now, as, same } = inquiry;
  const { marks } = model.changes;
  const mark = marks.findLast(
    ({ at, index }) => index <= model.changes.logged.length - 40 && now.getTime() - at.getTime() < keptMs - 60_000,
  );
  if (!mark) return;
  for (const reader of people) {
    const { status, data } = await as(reader, 'GET /changes', { query: `?after=${encodeURIComponent(mark.cursor)}` });
    if (status !== 200) continue;
    // The files of the records go along, and the auditor does not know which.
    const hasGivenAway = model.changes.logged.some(
      ({ change, readers }) => change.type.includes('.transferred_away.') && readers?.ownerId === reader.accountId,
    );
    const byRecord = new Map((data as Change[]).map((change) => [change.type.split('.')[1], change]));
    for (const {
      id: changeId,
      type,
      subject,
      data: { id, url },
    } of byRecord.values()) {
      if (/\.(?:deleted|transferred_away)\./.test(type)) continue;
      const ownerId = ownerOfRecord(model, subject.split('/')[0] ?? '', Number(id));
      // A profile takes its records along to its new owner (OWN-1); an organizer reads registrations of others.
      const isFormer = ownerId !== null && ownerId !== reader.accountId && model.audiences.get(reader.name) !== 'all';
      if (hasGivenAway && subject.startsWith('file/')) continue;
      // Who owned the record then reads of it at the owner's address, also as the organizer.
      const wasOwner = model.changes.logged[model.changes.indexOf(changeId)]?.readers?.ownerId === reader.accountId;
      if (isFormer && (wasOwner || organizerOfRecord(model, subject) !== reader.accountId)) continue;
      const [path = '', query] = url.slice(url.indexOf('/api/v1') + '/api/v1'.length).split('?');
      const found = await as(reader, `GET ${path}`, { query: query === undefined ? '' : `?${query}` });
      // What a deleted profile took along has no change of its own (PRO-5).
      const wentAlong = ownerId === null && /^(?:application|document)\//.test(subject);
      if (found.status !== 404 || !(wentAlong || isGone(data as Change[], url)))
        same(`${reader.name} finds the record of ${type} at ${path} (CHG-5)`, 200, found.status);
    }
  }
}

/** The organizer who reads a registration beside its athlete, once it was submitted (CHG-3). */
function organizerOfRecord(model: Model, subject: string): number | null {
  const [kind, id] = subject.split('/');
  const registration = kind === 'registration' ? model.registrations.get(Number(id)) : undefined;
  return registration?.wasSubmitted ? organizerOf(model, registration.eventId) : null;
}

/** Whether a later change tells that the record is deleted. */
function isGone(changes: readonly Change[], url: string): boolean {
  return changes.some(({ type, data }) => data.url === url && /\.(?:deleted|transferred_away|removed)\./.test(type));
}
