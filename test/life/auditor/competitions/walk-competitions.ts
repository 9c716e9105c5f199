import { attachFile, makeContract, payFee, sendScan, submitStage } from '../../steps/organizers/organizer-acts.ts';
import type { Person, World } from '../../world.ts';
import { type Event, stageNames } from './competition-records.ts';
import { differencesOf, isLivingEvent, isPaidFee, liveContractOf } from './competitions-of.ts';
import { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';

/** More steps than any competition needs from a draft to its end, with an agreement that is replaced on the way. */
const mostSteps = 20;
const mostEvents = 2;

/**
 * Walks some living competitions by the party that each names: every step is accepted, and moves it, up to the date or the participants that
 * it waits for (EVT-2, EVT-3, EVT-8).
 * @throws {Finding} for a competition that does not move
 */
export async function walkCompetitions(world: World, inquiry: Inquiry): Promise<void> {
  const { model } = inquiry;
  const walkable = [...model.events.values()].filter((event) => isLivingEvent(event) && ownerOf(inquiry, event));
  for (const event of walkable.slice(-mostEvents)) {
    const owner = ownerOf(inquiry, event);
    if (owner) await walk(world, inquiry, event, owner);
  }
}

/** An owner who can act for an organizer that is approved. */
function ownerOf(inquiry: Inquiry, { profileId }: Event): Person | undefined {
  const profile = inquiry.model.profiles.get(profileId);
  const owner = profile?.data.status === 'approved' ? inquiry.personOf(profile.ownerId) : undefined;
  const isActing = owner && inquiry.model.accounts.get(owner.accountId)?.status === 'active' && !inquiry.isSignedOut(owner);
  return isActing ? owner : undefined;
}

async function walk(world: World, inquiry: Inquiry, event: Event, owner: Person): Promise<void> {
  const read = async () => {
    inquiry.forget();
    const {
      process,
      stages,
      fee,
      agreement_differs: differs,
    } = (await inquiry.asAdministrator('GET /events/{id}', { params: { id: event.id } })).data;
    const { status } = liveContractOf(inquiry.model, event.id) ?? { status: 'none' };
    return { party: process.waiting_for as string | null, seen: JSON.stringify([stages, fee, differs, status]) };
  };
  for (let step = 0; step < mostSteps; step += 1) {
    const before = await read();
    const isTaken = await takeStep(world, inquiry, { event, owner, party: before.party });
    if (!isTaken) return;
    await inquiry.eventually(async () => {
      const after = await read();
      inquiry.same(`event ${event.id} moves by the step of the ${before.party} (EVT-2, EVT-3)`, true, after.seen !== before.seen);
    });
  }
  throw new Finding(`event ${event.id} comes to an end by the steps of its parties (EVT-2)`, `at most ${mostSteps} steps`, event.stages);
}

interface Turn {
  event: Event;
  owner: Person;
  party: string | null;
}

/** @returns whether there was a step to take */
async function takeStep(world: World, { model }: Inquiry, { event, owner, party }: Turn): Promise<boolean> {
  const stage = stageNames.find((name) => event.stages[name].status !== 'approved');
  const contract = liveContractOf(model, event.id);
  if (stage === undefined || (party !== 'owner' && party !== 'administrator')) return false;
  if (stage === 'agreement') {
    if (party === 'administrator')
      await world.call(world.administrator, 'POST /admin/contracts/{id}/review', {
        params: { id: contract?.id ?? 0 },
        body: { decision: 'confirm' },
      });
    else if (contract) await sendScan(world, owner, contract.id);
    else await makeContract(world, owner, event.id);
    return true;
  }
  if (party === 'administrator') {
    const isApprovable = stage !== 'details' || differencesOf(model, event).length === 0;
    const decision = isApprovable ? { decision: 'approve' } : { decision: 'changes', note: 'It differs from its agreement.' };
    await world.call(world.administrator, 'POST /admin/review', { body: { kind: 'event_stage', id: event.id, stage, ...decision } });
    return true;
  }
  if (stage === 'details') {
    if (event.stages.details.status === 'submitted' && !isPaidFee(model, event)) await payFee(world, owner, event);
    else if (contract && differencesOf(model, event).length > 0)
      await world.call(owner, 'POST /contracts/{id}/replace', {
        params: { id: contract.id },
        body: { reason: 'The competition has changed.' },
      });
    else await submitStage(world, owner, event.id, stage);
    return true;
  }
  const isEmpty = ![...model.participants.values()].some(({ eventId }) => eventId === event.id);
  if (stage === 'results' && isEmpty) return false;
  await attachFile(world, owner, event.id, stage);
  await submitStage(world, owner, event.id, stage);
  return true;
}
