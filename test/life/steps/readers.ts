import { TestClient } from '../../support/client.ts';
import type { Random } from '../../support/random.ts';
import { ownerOfRecord, profileOfRecord } from '../auditor/accounts/records.ts';
import type { Model } from '../auditor/model.ts';
import { type Person, personOf, type World } from '../world.ts';
import { oneOf, type Step, weighted } from './step.ts';

/** Anybody reads a few records: own ones, former ones, those of others, and some that are not there. */
export function readingStep(weight: number): Step {
  return {
    name: 'an actor reads',
    weight,
    isReading: true,
    async take(world, random) {
      const reader = anyReader(world, random);
      if (!reader) return;
      const operations = await readsOf(world);
      for (let left = random.between(1, 3); left > 0; left -= 1) await readOne(world, random, reader, weighted(random, operations));
    },
  };
}

/** Reads one record or list, mostly one that the reader has or had. A copy of the client reads, because an answer may set a cookie. */
export async function readOne(world: World, random: Random, reader: Person, operation: string): Promise<void> {
  const by = { ...reader, client: reader.client.copy() };
  const call = { params: paramsFor(world, random, by, operation), query: queryFor(world, random, operation) };
  await world.call(by, operation, call);
}

/** Every GET route that the API names, by world; single records more often than lists. */
const reads = new WeakMap<World, [operation: string, weight: number][]>();

export async function readsOf(world: World): Promise<[operation: string, weight: number][]> {
  const known = reads.get(world);
  if (known) return known;
  const { body } = await new TestClient(world.registry.url).get('/openapi.json');
  const found = Object.entries(body.paths as Record<string, object>)
    .filter(([, operations]) => 'get' in operations)
    .map(([path]): [string, number] => [`GET ${path}`, weightOf(path)]);
  reads.set(world, found);
  return found;
}

function weightOf(path: string): number {
  if (path === '/openapi.json') return 0.05;
  // One door to many kinds of records, and one with two sides.
  if (path === '/files/{uuid}' || path.startsWith('/messenger/')) return 12;
  return path.includes('{') ? 3 : 1;
}

/** A holder of a session or a key, also of one that has ended; now and then a visitor. */
function anyReader(world: World, random: Random): Person | undefined {
  const { people, programs, administrators, others } = world;
  const groups: [readonly Person[], number][] = [
    [people, 5],
    [programs, 3],
    [administrators, 2],
    [others, 4],
    [[personOf('anybody', new TestClient(world.registry.url))], 1],
  ];
  return oneOf(
    random,
    weighted(
      random,
      groups.filter(([group]) => group.length > 0),
    ),
  );
}

const unknown = { id: 999_999, uuid: '00000000-0000-4000-8000-000000000000', token: 'a-token-of-no-record' } as const;

/** The parameters of a path: mostly of a record that the reader has or had. */
function paramsFor(world: World, random: Random, reader: Person, operation: string): Record<string, number | string> {
  const { model } = world.auditor;
  const { accountId } = world.callerOf(reader);
  const [, family = ''] = /^GET \/(?:admin\/records\/|admin\/)?([\w-]+)/.exec(operation) ?? [];
  const params: Record<string, number | string> = {};
  for (const [, name = ''] of operation.matchAll(/\{(\w+)\}/g)) {
    if (name === 'perspective') params[name] = random.next() < 0.95 ? random.pick(['athlete', 'organizer']) : 'judge';
    else if (name === 'n') params[name] = random.between(1, 3);
    else if (name === 'uuid') params[name] = pick(random, files(model, accountId)) ?? unknown.uuid;
    else if (name === 'token') params[name] = oneOf(random, tokens(model, family)) ?? unknown.token;
    else if (name === 'user_id') params[name] = oneOf(random, model.accounts.keys()) ?? unknown.id;
    else params[name] = pick(random, records(model, name === 'document_id' ? 'additional' : family, accountId)) ?? unknown.id;
  }
  const bulletin = model.additionalDocuments.get(Number(params['document_id']));
  return bulletin && random.next() < 0.9 ? { ...params, id: bulletin.eventId } : params;
}

/** Records that the account has, had, and never had. */
interface Choices<Id> {
  own: Id[];
  former: Id[];
  foreign: Id[];
}

function pick<Id>(random: Random, { own, former, foreign }: Choices<Id>): Id | undefined {
  const groups: [Id[], number][] = [
    [own, 4],
    [former, 4],
    [foreign, 5],
    [[], 0.3],
  ];
  return oneOf(
    random,
    weighted(
      random,
      groups.filter(([ids, weight]) => ids.length > 0 || weight < 1),
    ),
  );
}

const kindsOf: Readonly<Record<string, [kind: string, of: (model: Model) => Iterable<number>]>> = {
  profile: ['profile', ({ profiles }) => profiles.keys()],
  profiles: ['profile', ({ profiles }) => profiles.keys()],
  document: ['document', ({ documents }) => documents.keys()],
  documents: ['document', ({ documents }) => documents.keys()],
  application: ['application', ({ applications }) => applications.keys()],
  applications: ['application', ({ applications }) => applications.keys()],
  invoices: ['invoice', ({ invoices }) => invoices.keys()],
  events: ['event', ({ events }) => events.keys()],
  additional: ['additional_document', ({ additionalDocuments }) => additionalDocuments.keys()],
  'event-registrations': ['registration', ({ registrations }) => registrations.keys()],
  messenger: ['registration', ({ registrations }) => registrations.keys()],
  contracts: ['contract', ({ contracts }) => contracts.keys()],
  'contract-templates': ['template', ({ templates }) => templates.keys()],
  webhooks: ['webhook', ({ webhooks }) => webhooks.keys()],
  'contact-messages': ['contact_message', ({ contactMessages }) => contactMessages.keys()],
  incidents: ['incident', ({ incidents }) => incidents.known.keys()],
  users: ['account', ({ accounts }) => accounts.keys()],
  national: ['national_export', ({ nationalFiles }) => nationalFiles.keys()],
  'api-keys': ['key', ({ keys }) => keys.values().map(({ id }) => id)],
};

function records(model: Model, family: string, accountId: number): Choices<number> {
  const [kind, of] = kindsOf[family] ?? ['', () => []];
  const choices: Choices<number> = { own: [], former: [], foreign: [] };
  for (const id of of(model)) choices[relationOf(model, kind, id, accountId)].push(id);
  return choices;
}

function relationOf(model: Model, kind: string, id: number, accountId: number): keyof Choices<number> {
  const others: Readonly<Record<string, number | undefined>> = {
    webhook: model.webhooks.get(id)?.ownerId,
    key: model.keys.values().find((key) => key.id === id)?.ownerId,
    account: id,
  };
  const ownerId = kind in others ? others[kind] : ownerOfRecord(model, kind, id);
  if (ownerId === accountId) return 'own';
  return hadProfile(model, profileOfRecord(model, kind, id), accountId) ? 'former' : 'foreign';
}

const hadProfile = (model: Model, profileId: number | null, accountId: number) =>
  model.profiles.get(profileId ?? 0)?.formerOwnerIds.has(accountId) === true;

function files(model: Model, accountId: number): Choices<string> {
  const choices: Choices<string> = { own: [], former: [], foreign: [] };
  for (const [id, { ownerId, uses }] of model.files) {
    const wasTheirs = [...uses.values()].some((profileId) => hadProfile(model, profileId, accountId));
    choices[ownerId === accountId ? 'own' : wasTheirs ? 'former' : 'foreign'].push(id);
  }
  for (const id of model.madeFiles) choices[model.onceAdministrators.has(accountId) ? 'former' : 'foreign'].push(id);
  return choices;
}

function tokens(model: Model, family: string): string[] {
  const found =
    family === 'contracts'
      ? model.contracts.values().map(({ token }) => token)
      : model.applications.values().flatMap(({ certificate }) => (certificate ? [certificate.token] : []));
  return [...found].filter((token) => token !== '');
}

/** What a route cannot do without, and a filter now and then. */
function queryFor(world: World, random: Random, operation: string): string {
  const { model } = world.auditor;
  const account = oneOf(random, model.accounts.keys()) ?? 0;
  switch (operation) {
    case 'GET /captcha':
      return `?purpose=${random.pick(['register', 'forgot', 'contact'])}`;
    case 'GET /admin/export':
      return `?kind=athletes&format=${random.pick(['csv', 'xlsx'])}${random.pick(['', '&status=approved', '&status=draft', '&q=Иванов'])}`;
    case 'GET /admin/search':
      return `?q=${random.pick(['Иванов', '+7 701', 'KZ-N-2026-000001', `user/${account}`, String(account)])}`;
    case 'GET /admin/profiles/{id}/owner/preview':
      return `?target_user_id=${account}`;
    case 'GET /admin/ledger':
      return random.next() < 0.5 ? '' : `?user_id=${account}`;
    case 'GET /changes': {
      const mark = model.changes.marks.at(-1 - random.between(0, 20));
      return mark === undefined ? '?types=*' : `?types=*&limit=100&after=${encodeURIComponent(mark.cursor)}`;
    }
    default:
      return '';
  }
}
