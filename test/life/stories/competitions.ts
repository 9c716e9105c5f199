import type { Random } from '../../support/random.ts';
import { deadlinesOf } from '../auditor/competitions/competition-questions.ts';
import { type Event, stageNames } from '../auditor/competitions/competition-records.ts';
import { liveContractOf } from '../auditor/competitions/competitions-of.ts';
import { fits } from '../auditor/registrations/eligibility.ts';
import { addDays } from '../auditor/days.ts';
import { makePdf } from '../papers.ts';
import { anotherTerm, approveStage, datesAhead, decideScan, returnStage } from '../publish.ts';
import {
  attachFile,
  makeContract,
  makeEvent,
  payFee,
  scanOf,
  sendOriginal,
  sendScan,
  submitStage,
  tryWhatIsOver,
} from '../steps/organizers/organizer-acts.ts';
import { oneOf, type Step } from '../steps/step.ts';
import type { Person, World } from '../world.ts';
import { anApplicant, anOpenEvent, anOrganizer } from './cast.ts';
import { story } from './story.ts';

const notes = ['The stamp is missing.', 'В регламенте нет программы.', 'Қол қойылмаған.'] as const;
const [minuteMs, dayMs] = [60_000, 86_400_000];
const noClaim = { applicationIds: [], paperIds: [] };

interface Play {
  world: World;
  random: Random;
  owner: Person;
  event: Event;
}

/** The acts from a draft to a publication, in order. */
const acts: readonly ((play: Play) => Promise<unknown>)[] = [
  ({ world, owner, event }) => makeContract(world, owner, event.id),
  ({ world, owner, event }) => onContract(world, event, (id) => sendScan(world, owner, id)),
  ({ world, event }) => onContract(world, event, (id) => decideScan(world, id, { decision: 'confirm' })),
  ({ world, owner, event }) => submitStage(world, owner, event.id, 'details'),
  ({ world, owner, event }) => payFee(world, owner, event),
  ({ world, event }) => approveStage(world, event.id, 'details'),
  ({ world, owner, event }) => attachFile(world, owner, event.id, 'regulations'),
  ({ world, owner, event }) => submitStage(world, owner, event.id, 'regulations'),
  ({ world, event }) => approveStage(world, event.id, 'regulations'),
];
const publication = 6;

export const competitionStories: readonly Step[] = [
  story('a competition is cancelled on its way, and what is over is tried', async function* (world, random) {
    // Before the fee, with an open one, with a paid one, and published.
    for (const end of random.shuffled([random.between(1, 3), 4, 4, 5, publication]).slice(0, 2)) {
      const play = await aDraft(world, random);
      if (!play) return;
      const { event, owner } = play;
      for (const act of acts.slice(0, end)) await act(play);
      yield;
      const by = event.status === 'published' || random.next() < 0.3 ? world.administrator : owner;
      const reason = { reason: random.pick(notes) };
      const sent = await world.call(by, 'POST /events/{id}/cancel', { params: { id: event.id }, body: reason });
      if (sent.status >= 300) return;
      yield;
      await payFee(world, owner, event);
      for (const stage of stageNames) if (stage !== 'agreement') await submitStage(world, owner, event.id, stage);
      await approveStage(world, event.id, 'details');
      await tryWhatIsOver(world, event.id);
    }
  }),
  story('stages are returned and decided on again', async function* (world, random) {
    const play = await aDraft(world, random);
    if (!play) return;
    const { event, owner } = play;
    for (const [index, act] of acts.entries()) {
      await act(play);
      yield;
      const submitted = stageNames.find((name) => event.stages[name].status === 'submitted');
      if (submitted && index !== acts.length - 1 && (submitted !== 'details' || index === publication - 2)) {
        await returnStage(world, owner, event.id, submitted);
        yield;
        const decision = random.pick(['approve', 'changes']);
        const body = {
          kind: 'event_stage',
          id: event.id,
          stage: submitted,
          decision,
          ...(decision === 'changes' ? { note: random.pick(notes) } : {}),
        };
        await world.call(world.administrator, 'POST /admin/review', { body });
        yield;
        if (event.stages[submitted].status === 'changes') await submitStage(world, owner, event.id, submitted);
      }
    }
  }),
  story('a bulletin is decided on, again and again', async function* (world, random) {
    const stage = await anOpenEvent(world, random);
    if (!stage) return;
    const { event, organizer } = stage;
    const fileId = await makePdf(world, organizer, `A bulletin of event ${event.id}, made as request ${world.exchanges.length}`);
    const body = { file_id: fileId, title: 'Бюллетень № 2', kind: random.pick(['bulletin', 'scheme', 'schedule', 'other']) };
    const added = await world.call(organizer, 'POST /events/{id}/additional-documents', { params: { id: event.id }, body });
    if (added.status >= 300) return;
    const id = added.data.document_id as number;
    const decide = (decision: string) =>
      world.call(world.administrator, 'POST /admin/review', {
        body: { kind: 'additional_document', id, decision, ...(decision === 'approve' ? {} : { note: random.pick(notes) }) },
      });
    for (const decision of ['approve', ...random.shuffled(['changes', 'cancel', 'changes', 'approve'])]) {
      await decide(decision);
      yield;
    }
    await world.call(organizer, 'DELETE /files/{id}', { params: { id: fileId ?? '' } });
    const params = { id: event.id, document_id: id };
    await world.call(organizer, 'DELETE /events/{id}/additional-documents/{document_id}', { params });
    yield;
    await world.call(organizer, 'DELETE /files/{id}', { params: { id: fileId ?? '' } });
  }),
  story('the deadlines of a competition come', async function* (world, random) {
    const start = addDays(world.auditor.inquiry.today, random.between(56, 64));
    const play = await aDraft(world, random, { starts_at: `${start}T09:00:00+05:00`, ends_at: `${start}T18:00:00+05:00` });
    if (!play) return;
    const { event, owner } = play;
    // Up to where each side may be waited for.
    const parts = { agreement: random.pick([0, 1, 2, 2]), details: 3, regulations: publication } as const;
    for (const act of acts.slice(0, parts.agreement)) await act(play);
    yield;
    for (const stage of ['agreement', 'details', 'regulations'] as const) {
      const deadline = deadlinesOf(event).get(stage) ?? 0;
      const from = parts[stage];
      await world.passTo(new Date(deadline - 7 * dayMs + 30 * minuteMs).toISOString());
      yield;
      if (random.next() < 0.4) {
        await world.passTo(new Date(deadline + 30 * minuteMs).toISOString());
        yield;
      }
      const next = stage === 'agreement' ? 3 : stage === 'details' ? publication : acts.length;
      for (const act of acts.slice(stage === 'agreement' ? parts.agreement : from, next)) await act(play);
      yield;
    }
    if (event.status === 'published') await attachFile(world, owner, event.id, 'results');
  }),
  story('an agreement is sent wrongly, rejected, and sent again', async function* (world, random) {
    const play = await aDraft(world, random);
    const contractId = play && (await makeContract(world, play.owner, play.event.id));
    const contract = world.auditor.model.contracts.get(contractId ?? 0);
    if (!play || !contract) return;
    const { owner } = play;
    yield;
    for (let turn = 0; turn < 2; turn += 1) {
      await sendOriginal(world, owner, contract);
      yield;
      await sendWrongly(world, random, owner, contract);
      await sendScan(world, owner, contract.id);
      yield;
      // One that waits takes no other.
      await sendOriginal(world, owner, contract);
      if (turn === 0) await decideScan(world, contract.id, { decision: 'reject', reason: random.pick(notes) });
      yield;
    }
    await decideScan(world, contract.id, { decision: 'confirm' });
    yield;
    await sendOriginal(world, owner, contract);
    await end(world, random, owner, contract.id);
    yield;
    await world.call(world.administrator, 'POST /admin/contracts/{id}/seen', { params: { id: contract.id } });
  }),
  story('a competition and its agreement move apart', async function* (world, random) {
    const play = await aDraft(world, random);
    if (!play) return;
    const { event, owner } = play;
    const change = () => world.call(owner, 'PATCH /events/{id}', { params: { id: event.id }, body: anotherTerm(world, random) });
    await makeContract(world, owner, event.id);
    for (let turn = 0; turn < 3; turn += 1) {
      // Before it is sent, while it waits, and once it is in force.
      for (const act of acts.slice(1, 3)) {
        if (random.next() < 0.6) {
          await change();
          yield;
        }
        await act(play);
        yield;
      }
      await change();
      yield;
      const replaced = liveContractOf(world.auditor.model, event.id);
      if (!replaced || turn === 2) break;
      await world.call(owner, 'POST /contracts/{id}/replace', { params: { id: replaced.id }, body: { reason: random.pick(notes) } });
      yield;
    }
    for (const act of acts.slice(3, publication)) await act(play);
    yield;
    await change();
    yield;
    const last = liveContractOf(world.auditor.model, event.id);
    if (last) await end(world, random, owner, last.id);
  }),
  story('an agreement ends while a stage waits', async function* (world, random) {
    const play = await aDraft(world, random);
    if (!play) return;
    const { event, owner } = play;
    const waiting = random.pick([publication - 1, acts.length - 1]);
    for (const act of acts.slice(0, waiting)) await act(play);
    yield;
    const contract = liveContractOf(world.auditor.model, event.id);
    if (!contract) return;
    await end(world, random, owner, contract.id);
    yield;
    await acts[waiting]?.(play);
    for (const stage of ['details', 'regulations'] as const) await submitStage(world, owner, event.id, stage);
    yield;
    if (!liveContractOf(world.auditor.model, event.id)) await acts[0]?.(play);
    for (const act of acts.slice(1, 3)) {
      await act(play);
      yield;
    }
    await acts[waiting]?.(play);
  }),
  story('a competition is held, with results that come back', async function* (world, random) {
    const { model } = world.auditor;
    const stage = await anOpenEvent(world, random);
    if (!stage) return;
    const { event, organizer } = stage;
    await anApplicant(world, random, 'national_certificate', random.pick([500, 500, 60]));
    yield;
    await world.passTo(new Date(event.endsAt + 10 * minuteMs).toISOString());
    yield;
    const entries = [...model.applications.values()].filter((one) => fits(model, one, { ...noClaim, event, profileId: one.profileId }));
    for (const { certificate } of entries.slice(-3))
      if (certificate)
        await world.call(organizer, 'POST /events/{id}/participants', {
          params: { id: event.id },
          body: { certificate: certificate.number },
        });
    yield;
    await attachFile(world, organizer, event.id, 'results');
    await submitStage(world, organizer, event.id, 'results');
    yield;
    const entry = oneOf(
      random,
      [...model.participants.values()].filter(({ eventId }) => eventId === event.id),
    );
    const rate = () =>
      entry &&
      world.call(organizer, 'PATCH /events/{id}/participants/{application_id}', {
        params: { id: event.id, application_id: entry.applicationId },
        body: { result_status: random.pick(['finished', 'dnf', 'dsq']), place: random.between(1, 9) },
      });
    await rate();
    await returnStage(world, organizer, event.id, 'results');
    yield;
    await world.call(world.administrator, 'POST /admin/review', {
      body: { kind: 'event_stage', id: event.id, stage: 'results', decision: 'changes', note: random.pick(notes) },
    });
    await rate();
    yield;
    await submitStage(world, organizer, event.id, 'results');
    await approveStage(world, event.id, 'results');
    yield;
    await tryWhatIsOver(world, event.id);
  }),
];

/** A new competition of an approved organizer. */
async function aDraft(world: World, random: Random, fields: Record<string, unknown> = datesAhead(world, random)): Promise<Play | null> {
  const cast = await anOrganizer(world, random);
  const id = cast && (await makeEvent(world, cast.owner, cast.profile.id, fields));
  const event = world.auditor.model.events.get(id ?? 0);
  return cast && event ? { world, random, owner: cast.owner, event } : null;
}

async function onContract({ auditor }: World, event: Event, act: (id: number) => Promise<unknown>): Promise<void> {
  const contract = liveContractOf(auditor.model, event.id);
  if (contract) await act(contract.id);
}

/** Fewer pages, or no PDF. */
async function sendWrongly(world: World, random: Random, owner: Person, { id, pages }: { id: number; pages: number }): Promise<void> {
  const isShort = pages > 1 && random.next() < 0.5;
  const file = isShort ? await scanOf(world, id, pages - 1) : { file: { bytes: await world.papers.photo, name: 'signed.pdf' } };
  await world.call(owner, 'POST /contracts/{id}/scan', { params: { id }, ...file });
}

/** One of its two sides ends an agreement. */
async function end(world: World, random: Random, owner: Person, id: number): Promise<void> {
  const [by, action] = random.pick([
    [owner, 'cancel'],
    [owner, 'replace'],
    [world.administrator, 'cancel'],
  ] as const);
  await world.call(by, `POST /contracts/{id}/${action}`, { params: { id }, body: { reason: random.pick(notes) } });
}
