import { makeDocument } from '../../papers.ts';
import type { Person, World } from '../../world.ts';
import { isLivingEvent } from '../competitions/competitions-of.ts';
import { isOpenForPapers } from '../applications/application-judgement.ts';
import { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { isReplaced, take } from '../next-steps.ts';
import { applicationOf, dayAfterEvent, type Item, newApplications, successorsOf, typesOf, waitingFor } from './option-steps.ts';
import type { Choice, Missing } from './registration-options.ts';

const [mostAthletes, mostSteps] = [3, 30];

/**
 * Walks some athletes to a registration by the steps that the options name: each is accepted and moves its item (REG-18).
 * @throws {Finding} for a step that cannot be carried out, one that moves nothing, and a missing one
 */
export async function walkOptions(world: World, inquiry: Inquiry): Promise<void> {
  const { model } = inquiry;
  const event = [...model.events.values()].findLast(
    (one) => one.status === 'published' && isLivingEvent(one) && world.now.getTime() < one.endsAt,
  );
  const athletes = [...model.profiles.values()].filter(({ kind, data }) => kind === 'athlete' && data.status !== 'cancelled');
  for (const profile of event ? athletes.slice(-mostAthletes) : []) {
    const owner = inquiry.personOf(profile.ownerId);
    if (!event || !owner || !inquiry.isActive(owner) || inquiry.isSignedOut(owner)) continue;
    const read = async () => {
      inquiry.forget();
      const { data } = await inquiry.as(owner, 'GET /events/{id}/registration-options', { params: { id: event.id } });
      return (data.profiles as Choice[]).find((one) => one.profile_id === profile.id)?.missing ?? [];
    };
    await walk(world, inquiry, owner, read, (missing) => ({ missing, profile, event }));
  }
}

async function walk(
  world: World,
  inquiry: Inquiry,
  owner: Person,
  read: () => Promise<Missing[]>,
  itemOf: (missing: Missing) => Item,
): Promise<void> {
  for (let step = 0; step < mostSteps; step += 1) {
    const missing = await read();
    const next = missing.find(({ fix }) => fix !== null);
    if (!next) {
      const isHelpless = missing.length === 0 || missing.some((one) => one.not_before !== undefined || one.waiting_for !== 'owner');
      if (!isHelpless) throw new Finding('the options name a step that the athlete can take (REG-18)', 'a fix', missing);
      return;
    }
    if (next.rule === 'decision' && (await isApprovedMeanwhile(world, inquiry, next))) continue;
    await takeStep(world, inquiry, owner, itemOf(next));
    await inquiry.eventually(async () => {
      const after = (await read()).find((one) => one.rule === next.rule && one.application_id === next.application_id);
      const hasMoved = JSON.stringify(after) !== JSON.stringify(next);
      inquiry.same(`${next.fix?.method} ${next.fix?.path} moves ${next.rule} of the options (REG-18)`, true, hasMoved);
    });
  }
  throw new Finding('an athlete comes to a registration by the steps of the options (REG-18)', `at most ${mostSteps} steps`, await read());
}

/** The approval of its last paper may have approved an application without a decision on it (APP-5). */
async function isApprovedMeanwhile(world: World, inquiry: Inquiry, missing: Missing): Promise<boolean> {
  await world.auditor.askAfterStep();
  return applicationOf(inquiry.model, { missing })?.status !== 'submitted';
}

async function takeStep(world: World, inquiry: Inquiry, owner: Person, item: Item): Promise<void> {
  const { model, today } = inquiry;
  const { missing, profile, event } = item;
  const application = applicationOf(model, item);
  const accepted = async (by: Person, operation: string, call: object) => {
    const { status, error } = await world.call(by, operation, call);
    inquiry.same(
      `${by.name} can take ${operation}, which the options name for ${missing.rule} (REG-18)`,
      null,
      status < 300 ? null : error,
    );
  };
  if (missing.fix?.path === '/admin/review')
    return accepted(world.administrator, 'POST /admin/review', { body: { ...waitingFor(model, item), decision: 'approve' } });
  if (missing.fix?.path === '/applications') return accepted(owner, 'POST /applications', { body: newApplications(inquiry, item)[0] });
  if (missing.fix?.path === '/documents') {
    await makeDocument(world, owner, profile.id, typesOf(model, item)[0] ?? '', dayAfterEvent(event, 400));
    return undefined;
  }
  if (missing.fix?.method === 'PATCH' && application && !isOpenForPapers(model, application, today)) {
    const next = successorsOf(model, item).find(({ status }) => status === 'approved');
    const kept = application.documentIds.filter((id) => !isReplaced(model.documents.get(id)?.type, next?.type ?? ''));
    const body = { document_ids: [...kept, next?.id ?? 0] };
    return accepted(owner, 'PATCH /applications/{id}', { params: { id: application.id }, body });
  }
  return take(world, inquiry, { profileId: profile.id, application, owner, rule: { ...missing, ok: false } });
}
