import type { Random } from '../../../support/random.ts';
import { type Event, type StageName, stageNames } from '../../auditor/competitions/competition-records.ts';
import { isLiveContract, isLivingEvent, liveContractOf } from '../../auditor/competitions/competitions-of.ts';
import { ownerOf } from '../../auditor/model.ts';
import { isLive, registrationsOf } from '../../auditor/registrations/registrations-of.ts';
import { makeMarkFile, makePhoto } from '../../papers.ts';
import type { World } from '../../world.ts';
import { tryWhatIsOver } from './organizer-acts.ts';
import { anExplanation, oneOf, type Step, weighted } from '../step.ts';

const notes = ['The stamp is missing.', 'В регламенте нет программы.', 'Қол қойылмаған.'] as const;

interface Row {
  kind: string;
  id: number;
  updated_at: string | null;
  stage?: StageName;
}

const decidable: ReadonlySet<string> = new Set(['event_stage', 'additional_document', 'contract', 'contract_ended']);

/** What each life's clerks have read before: they may decide on it later. */
const desks = new WeakMap<World, Row[]>();

/** Clerks of competitions: they decide on the queue, on an old read, at once, or on what does not wait. */
export const organizerClerkSteps: readonly Step[] = [
  {
    name: 'a clerk decides on a competition',
    weight: 18,
    async take(world, random) {
      const row = oneOf(random, await readQueue(world));
      if (row) await decide(world, random, row);
    },
  },
  {
    name: 'a clerk decides on what was read long ago',
    weight: 3,
    async take(world, random) {
      const row = oneOf(random, desks.get(world) ?? []);
      if (row) await decide(world, random, row);
    },
  },
  {
    name: 'a clerk decides on a stage unasked',
    weight: 2,
    async take(world, random) {
      const event = oneOf(random, world.auditor.model.events.values());
      if (!event) return;
      const decision = random.pick(['approve', 'changes', 'cancel']);
      const stage = random.next() < 0.2 ? 'agreement' : random.pick(stageNames);
      await decide(world, random, { kind: 'event_stage', id: event.id, updated_at: null, stage }, decision);
    },
  },
  {
    name: 'a clerk withdraws a bulletin',
    weight: 1,
    async take(world, random) {
      const document = oneOf(random, world.auditor.model.additionalDocuments.values());
      if (document) await decide(world, random, { kind: 'additional_document', id: document.id, updated_at: null });
    },
  },
  {
    name: 'two clerks decide on a competition at once',
    weight: 1.5,
    async take(world, random) {
      const row = oneOf(
        random,
        (await readQueue(world)).filter(({ kind }) => kind !== 'contract_ended'),
      );
      if (!row) return;
      const both = random.next() < 0.5 ? (['approve', 'approve'] as const) : (['approve', 'changes'] as const);
      await world.race(both.map((decision) => ({ by: world.administrator, ...requestOf(row, decision, random.pick(notes)) })));
    },
  },
  {
    name: 'an administrator cancels a competition',
    weight: 1.5,
    async take(world, random) {
      const { model } = world.auditor;
      const all = [...model.events.values()];
      const isEntered = ({ id, status }: Event) => status === 'completed' || registrationsOf(model, id).some(isLive);
      const entered = all.filter((one) => one.status !== 'cancelled' && isEntered(one));
      const event = oneOf(random, entered.length > 0 && random.next() < 0.5 ? entered : all);
      if (!event) return;
      await world.call(world.administrator, 'POST /events/{id}/cancel', { params: { id: event.id }, body: { reason: random.pick(notes) } });
      await tryWhatIsOver(world, event.id);
    },
  },
  {
    name: 'an administrator cancels an agreement',
    weight: 2,
    async take(world, random) {
      const all = [...world.auditor.model.contracts.values()];
      const live = all.filter(isLiveContract);
      const confirmed = live.filter(({ status }) => status === 'confirmed');
      const contract = oneOf(random, random.next() < 0.15 ? all : confirmed.length > 0 && random.next() < 0.6 ? confirmed : live);
      if (!contract) return;
      await world.call(world.administrator, 'POST /contracts/{id}/cancel', {
        params: { id: contract.id },
        body: { reason: random.pick(notes) },
      });
    },
  },
  {
    name: 'an administrator changes who signs',
    weight: 1.2,
    async take(world, random) {
      const ink = random.pick(['#102080', '#801020', '#000000']);
      const by = world.administrator;
      const stamp =
        random.next() < 0.15 ? await makePhoto(world, by) : await makeMarkFile(world, by, 'stamp', random.next() < 0.15 ? '#ffffff' : ink);
      const body = {
        signer_name: random.pick(['Әбенова Гүлнар', 'Ерлан Қасымов']),
        signer_position: random.pick(['Бас хатшы', 'Президент']),
        signature_file_id: await makeMarkFile(world, by, 'signature', ink),
        stamp_file_id: stamp,
        // Some just touch an edge of the page, or just leave it (AGR-8).
        layout: random.pick([
          { signature: { x: 60, y: 190, scale: 1 }, stamp: { x: 120, y: 185, scale: 1 } },
          { signature: { x: 160, y: 190, scale: 1 }, stamp: { x: 120, y: 257, scale: 1 } },
          { signature: { x: 161, y: 190, scale: 1 }, stamp: { x: 120, y: 185, scale: 1 } },
          { signature: { x: 60, y: 190, scale: 1 }, stamp: { x: 120, y: 238, scale: 1.5 } },
        ]),
      };
      await world.call(by, 'PUT /admin/federation-signing', { body });
      await world.call(by, 'GET /admin/federation-signing');
    },
  },
  {
    name: 'an administrator writes a template',
    weight: 2.5,
    async take(world, random) {
      const { templates } = world.auditor.model;
      const id = oneOf(random, templates.keys());
      const variable = random.next() < 0.2 ? '{{EVENT_SPONSOR}}' : '{{EVENT_TITLE}}';
      const text = `# Договор № {{DOCUMENT_NUMBER}}\n\n{{ORGANIZER_NAME}}: ${variable}, {{EVENT_DATES}}.\n\n{{FEDERATION_SIGNATURE}} {{FEDERATION_STAMP}}`;
      const isNew = id === undefined || random.next() < 0.3;
      if (isNew) {
        const body = { title: 'Краткий договор', body: text, ...(random.next() < 0.3 ? { active: false } : {}) };
        const made = await world.call(world.administrator, 'POST /admin/contract-templates', { body });
        if (made.status === 201) await makeAgreementWith(world, random, made.data.id);
      } else {
        const body = weighted<Record<string, unknown>>(random, [
          [{ body: text }, 3],
          [{ active: false }, 1],
          [{ active: true, title: 'Договор' }, 1],
        ]);
        await world.call(world.administrator, 'PATCH /admin/contract-templates/{id}', { params: { id }, body });
        if (body['active'] === false) await makeAgreementWith(world, random, id);
      }
    },
  },
];

/** An organizer makes an agreement with a template, which may be offered no more. */
async function makeAgreementWith(world: World, random: Random, templateId: number): Promise<void> {
  const { model, inquiry } = world.auditor;
  const free = [...model.events.values()].filter((event) => isLivingEvent(event) && liveContractOf(model, event.id) === undefined);
  const event = oneOf(random, free);
  const owner = event && inquiry.personOf(ownerOf(model, event.profileId));
  if (event && owner) await world.call(owner, 'POST /contracts', { body: { event_id: event.id, data: {}, template_id: templateId } });
}

async function readQueue(world: World): Promise<Row[]> {
  const queue = await world.call(world.administrator, 'GET /admin/queue', { query: '?limit=100' });
  const rows = (queue.data as Row[]).filter(({ kind }) => decidable.has(kind));
  desks.set(world, [...(desks.get(world) ?? []), ...rows].slice(-20));
  return rows;
}

async function decide(world: World, random: Random, row: Row, wanted?: string): Promise<void> {
  const decision =
    wanted ??
    weighted(random, [
      ['approve', 10],
      ['changes', 3],
      ['cancel', 0.4],
    ] as const);
  const isNaming = random.next() < 0.7;
  const note = random.next() < 0.2 ? anExplanation(random) : random.pick(notes);
  const { operation, call } = requestOf({ ...row, updated_at: isNaming ? row.updated_at : null }, decision, note);
  await world.call(world.administrator, operation, call);
}

/** A clerk confirms or rejects an agreement, and notes that it was ended; other records take any decision. */
function requestOf({ kind, id, updated_at: version, stage: name }: Row, decision: string, note: string) {
  const seen = version === null ? {} : { updated_at: version };
  if (kind === 'contract_ended') return { operation: 'POST /admin/contracts/{id}/seen', call: { params: { id } } };
  if (kind === 'contract') {
    const body = decision === 'approve' ? { decision: 'confirm', ...seen } : { decision: 'reject', reason: note, ...seen };
    return { operation: 'POST /admin/contracts/{id}/review', call: { params: { id }, body } };
  }
  const stage = kind === 'event_stage' ? { stage: name } : {};
  const explained = decision === 'approve' ? {} : { note };
  return { operation: 'POST /admin/review', call: { body: { kind, id, ...stage, decision, ...seen, ...explained } } };
}
