import { makeDocument, makePhoto } from '../papers.ts';
import type { Person, World } from '../world.ts';
import { ownerOfApplication } from './applications/applications.ts';
import { isLiving } from './applications/ends.ts';
import { Finding } from './finding.ts';
import type { Inquiry } from './inquiry.ts';
import type { Application } from './applications/application-records.ts';
import { addDays } from './days.ts';

interface Rule {
  rule: string;
  ok: boolean;
  waiting_for: 'owner' | 'administrator' | 'bank' | null;
  fix: { method: string; path: string } | null;
}

/** More steps than any application needs from a draft to its certificate. */
const mostSteps = 25;

/**
 * Walks every living application by its own `fix`, without other knowledge: each is accepted from the party that it
 * names and moves its rule (APP-4). The life is over then, so nothing else is disturbed.
 * @throws {Finding} for a step that its party cannot take, one that moves nothing, and a missing one
 */
export async function walkSteps(world: World, inquiry: Inquiry): Promise<void> {
  for (const application of inquiry.model.applications.values()) if (isLiving(application)) await walk(world, inquiry, application);
}

async function walk(world: World, inquiry: Inquiry, application: Application): Promise<void> {
  const owner = inquiry.personOf(ownerOfApplication(inquiry.model, application));
  if (!owner || !inquiry.isActive(owner) || inquiry.isSignedOut(owner)) return;
  const read = async () => (await inquiry.as(owner, 'GET /applications/{id}/readiness', { params: { id: application.id } })).data as Rule[];
  for (let step = 0; step < mostSteps; step += 1) {
    const rules = await read();
    const unmet = rules.filter(({ ok }) => !ok);
    if (unmet.length === 0) return;
    const next = unmet.find(({ fix }) => fix !== null);
    if (next === undefined) {
      // No action helps a refused profile or an application that is over; the bank answers by itself.
      const isHelpless = unmet.some(({ waiting_for: party }) => party === null || party === 'bank');
      if (!isHelpless) throw new Finding(`application ${application.id} names a step that its party can take (APP-4)`, 'a fix', unmet);
      return;
    }
    await take(world, inquiry, { profileId: application.profileId, application, owner, rule: next });
    await inquiry.eventually(async () => {
      const after = (await read()).find(({ rule }) => rule === next.rule);
      const hasMoved = JSON.stringify(after) !== JSON.stringify(next);
      inquiry.same(
        `${next.fix?.method} ${next.fix?.path} moves the rule ${next.rule} of application ${application.id} (APP-4)`,
        true,
        hasMoved,
      );
    });
  }
  throw new Finding(`application ${application.id} comes to an end by its own steps (APP-4)`, `at most ${mostSteps} steps`, await read());
}

interface QueueRow {
  kind: string;
  id: number;
  updated_at: string | null;
  revision?: number;
  /** Of a competition. */
  stage?: string;
}

/** Records of the queue that a clerk settles with no more than a note. */
const settled: ReadonlySet<string> = new Set([
  'profile',
  'photo',
  'document',
  'application',
  'event_stage',
  'additional_document',
  'contract',
  'contract_ended',
  'contact_message',
]);

/**
 * Returns every record that waits in the queue, by what its row says: each decision is accepted and takes the row away (REV-1, REV-3).
 * @throws {Finding} for a row that no clerk can settle
 */
export async function walkQueue(world: World, inquiry: Inquiry): Promise<void> {
  const read = async () =>
    // A clerk's read: the decision names the version that it showed.
    ((await world.call(world.administrator, 'GET /admin/queue', { query: '?limit=100' })).data as QueueRow[]).filter(({ kind }) =>
      settled.has(kind),
    );
  for (const row of await read()) {
    const { kind, id, updated_at: version } = row;
    const current = (await read()).find((one) => one.kind === kind && one.id === id);
    // An earlier decision may have settled this one, or changed what it was read from.
    if (!current || current.updated_at !== version) continue;
    const { status, error } = await settle(world, row);
    inquiry.same(`a clerk can settle ${kind} ${id} of the queue (REV-1)`, { status: 200, error: null }, { status, error });
    await inquiry.eventually(async () => {
      const isLeft = (await read()).some((row) => row.kind === kind && row.id === id);
      inquiry.same(`${kind} ${id} leaves the queue with its decision (REV-3)`, false, isLeft);
    });
  }
}

/** Returns a record, rejects a scan, or notes that the end of an agreement was seen. */
function settle(world: World, { kind, id, updated_at: version, revision, stage }: QueueRow) {
  const note = 'The registry is tidied up.';
  const seen = kind === 'application' ? { revision } : version === null ? {} : { updated_at: version };
  if (kind === 'contract_ended') return world.call(world.administrator, 'POST /admin/contracts/{id}/seen', { params: { id } });
  if (kind === 'contract') {
    const body = { decision: 'reject', reason: note, ...seen };
    return world.call(world.administrator, 'POST /admin/contracts/{id}/review', { params: { id }, body });
  }
  if (kind === 'contact_message')
    return world.call(world.administrator, 'POST /admin/contact-messages/{id}/answered', { params: { id }, body: { note } });
  const ofStage = stage === undefined ? {} : { stage };
  return world.call(world.administrator, 'POST /admin/review', { body: { kind, id, ...ofStage, decision: 'changes', note, ...seen } });
}

interface NamedStep {
  profileId: number;
  /** Undefined for a step that concerns none. */
  application: Application | undefined;
  owner: Person;
  rule: Rule;
}

/** Does what a `fix` says, as its party would. */
export async function take(world: World, inquiry: Inquiry, { profileId, application, owner, rule }: NamedStep): Promise<void> {
  const { method = '', path = '' } = rule.fix ?? {};
  const { model } = inquiry;
  const by = rule.waiting_for === 'administrator' ? world.administrator : owner;
  const step = `${method} ${path}`;
  const id = Number(/\d+/.exec(path)?.[0] ?? 0);
  const accepted = async (answer: Promise<{ status: number; error: unknown }>) => {
    const { status, error } = await answer;
    if (status >= 300)
      throw new Finding(`${by.name} can take ${step}, which application ${application?.id} names for ${rule.rule} (APP-4)`, 'accepted', {
        status,
        error,
      });
  };
  if (step === 'POST /admin/review' && application) return accepted(approve(world, inquiry, application, rule.rule));
  if (application && step === `PATCH /applications/${application.id}`) {
    const service = model.services.get(application.serviceId);
    const type =
      service?.required.find(({ code }) => code === rule.rule)?.types[0] ??
      model.documents.get(Number(rule.rule.split(':')[1]))?.type ??
      application.documentIds.map((one) => model.documents.get(one)).find((one) => one?.isFileGone)?.type;
    if (type === undefined) throw new Finding(`${step} names a paper for ${rule.rule}`, 'a required document', service?.required);
    const documentId = await makeDocument(world, owner, profileId, type, addDays(inquiry.today, 400));
    const others = application.documentIds.filter((other) => !isReplaced(model.documents.get(other)?.type, type));
    return accepted(world.call(owner, 'PATCH /applications/{id}', { params: { id }, body: { document_ids: [...others, documentId] } }));
  }
  if (/^PATCH \/profiles\/\d+$/.test(step)) {
    const body =
      rule.rule === 'photo' || rule.rule === 'files'
        ? { photo_id: await makePhoto(world, owner) }
        : { data: { city: `Семей ${world.exchanges.length}` } };
    return accepted(world.call(owner, 'PATCH /profiles/{id}', { params: { id }, body }));
  }
  if (/^POST \/profiles\/\d+\/submit$/.test(step)) return accepted(world.call(owner, 'POST /profiles/{id}/submit', { params: { id } }));
  if (step === `POST /applications/${application?.id}/submit`)
    return accepted(world.call(owner, 'POST /applications/{id}/submit', { params: { id } }));
  if (step === `POST /applications/${application?.id}/pay`)
    return accepted(world.call(owner, 'POST /applications/{id}/pay', { params: { id } }));
  if (step === 'POST /invoices') {
    const amount = Math.max(application?.amount ?? 0, 10_000);
    return accepted(
      world.call(owner, 'POST /invoices', { body: { amount: `${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, '0')}` } }),
    );
  }
  if (/^POST \/invoices\/\d+\/checkout$/.test(step)) {
    await accepted(world.call(owner, 'POST /invoices/{id}/checkout', { params: { id } }));
    await world.payAtBank(id, 'paid');
    const verify = () => world.call(owner, 'POST /invoices/{id}/verify', { params: { id } });
    // The bank may have been told before not to answer questions about it.
    for (let left = model.invoices.get(id)?.unanswered ?? 0; left > 0; left -= 1) await verify();
    return accepted(verify());
  }
  throw new Finding(`the step ${step} is one that the auditor knows`, 'a known step', step);
}

const identityPapers: ReadonlySet<string> = new Set(['identity', 'passport']);

/** Identity card and passport meet the same requirement. */
export function isReplaced(type: string | undefined, by: string): boolean {
  return type === by || (type !== undefined && identityPapers.has(type) && identityPapers.has(by));
}

async function approve(world: World, { model }: Inquiry, application: Application, rule: string) {
  const { administrator } = world;
  if (rule === 'profile' || rule === 'photo')
    return world.call(administrator, 'POST /admin/review', { body: { kind: rule, id: application.profileId, decision: 'approve' } });
  const types = model.services.get(application.serviceId)?.required.find(({ code }) => code === rule)?.types ?? [];
  const waiting = application.documentIds.map((id) => model.documents.get(id)).filter((document) => document?.status === 'pending');
  const document = waiting.find((one) => one && (types.includes(one.type) || rule === `document:${one.id}`));
  // Without its file it cannot be approved (REV-6).
  const decision = document?.isFileGone ? { decision: 'changes', note: 'The file was deleted.' } : { decision: 'approve' };
  return world.call(administrator, 'POST /admin/review', { body: { kind: 'document', id: document?.id ?? 0, ...decision } });
}
