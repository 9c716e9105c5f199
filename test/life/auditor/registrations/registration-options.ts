import type { Touched } from '../area.ts';
import type { Event } from '../competitions/competition-records.ts';
import { type Claim, daysOf, fits, foreignPapers, judgeEligibility } from './eligibility.ts';
import type { Inquiry } from '../inquiry.ts';
import { askNamedStep, type NamedStep } from '../named-step.ts';
import type { Application, Profile } from '../applications/application-records.ts';
import type { Model } from '../model.ts';
import type { Registration } from './registration-records.ts';
import { askItem } from './option-steps.ts';
import { isLiving } from '../applications/ends.ts';
import { askEligibility } from './registration-questions.ts';

/** An item of `missing`. */
export interface Missing extends NamedStep {
  application_id: number | null;
  waiting_for: 'owner' | 'administrator' | 'bank' | null;
  year?: number;
  not_before?: string;
}

export interface Choice {
  profile_id: number;
  licences: { application_id: number; number: string; eligibility: never }[];
  missing: Missing[];
}

/** Asks for the choices of those accounts whose records a step touched, in each event that is not over (REG-18). */
export async function askOptions(inquiry: Inquiry, touched: readonly Touched[], concerned: readonly Registration[]): Promise<void> {
  const { model, now } = inquiry;
  const events = [...model.events.values()].filter(({ status, endsAt }) => status === 'published' && now.getTime() < endsAt);
  const profiles = new Set([...concerned.map(({ profileId }) => profileId), ...touched.flatMap((one) => profileOf(model, one) ?? [])]);
  const owners = new Set([...profiles].flatMap((id) => model.profiles.get(id)?.ownerId ?? []));
  for (const event of events) for (const ownerId of owners) await inquiry.eventually(() => askOptionsOf(inquiry, event, ownerId));
}

function profileOf(model: Model, { kind, id }: Touched): number | undefined {
  if (typeof id !== 'number') return undefined;
  if (kind === 'profile') return id;
  if (kind === 'document') return model.documents.get(id)?.profileId;
  return kind === 'application' ? model.applications.get(id)?.profileId : undefined;
}

async function askOptionsOf(inquiry: Inquiry, event: Event, ownerId: number): Promise<void> {
  const { model, today, asOwner, same } = inquiry;
  const answer = await asOwner(ownerId, 'GET /events/{id}/registration-options', { params: { id: event.id } });
  if (answer.status === 401 || answer.status === 403) return;
  same(`a published event ${event.id} shows its choices to every account (REG-18)`, 200, answer.status);
  const athletes = [...model.profiles.values()].filter((profile) => profile.ownerId === ownerId && profile.kind === 'athlete');
  const shown = answer.data.profiles as Choice[];
  same(
    `the options of event ${event.id} name the athletes of account ${ownerId} (REG-18)`,
    athletes.map(({ id }) => id).toSorted((left, right) => left - right),
    shown.map(({ profile_id: id }) => id),
  );
  for (const profile of athletes) {
    const choice = shown.find(({ profile_id: id }) => id === profile.id);
    if (!choice) continue;
    const where = `the options of profile ${profile.id} in event ${event.id}`;
    const licences = fittingLicences(model, event, profile);
    same(
      `${where} list the licences that fit (REG-3, REG-18)`,
      licences.map(({ id }) => id).toSorted((left, right) => left - right),
      choice.licences.map(({ application_id: id }) => id).toSorted((left, right) => left - right),
    );
    for (const { application_id: id, eligibility } of choice.licences)
      askEligibility(
        inquiry,
        `licence ${id} in ${where}`,
        judgeEligibility(model, { profileId: profile.id, event, applicationIds: [id], paperIds: [] }, today),
        eligibility,
      );
    const { ok } = judgeEligibility(model, bestClaim(model, event, profile), today);
    same(
      `${where} miss nothing when the athlete can register, and name what is missing otherwise (REG-18)`,
      ok,
      choice.missing.length === 0,
    );
    const ofOthers = choice.missing.filter(({ application_id: id }) => id !== null && model.applications.get(id)?.profileId !== profile.id);
    same(`${where} name only applications of the athlete (REG-18)`, [], ofOthers);
    const helpless = choice.missing.filter(({ fix, not_before: day }) => day !== undefined && (fix !== null || day <= today));
    same(`${where} name a day to come, and no step until then, where only time helps (REG-18)`, [], helpless);
    for (const missing of choice.missing) {
      askNamedStep(inquiry, ownerId, where, missing);
      askItem(inquiry, { missing, profile, event }, where);
    }
  }
}

/** Issued certificates that are not annulled, and closed ones that are dated for a day of the event. */
function fittingLicences(model: Model, event: Event, profile: Profile): Application[] {
  const { first, last } = daysOf(event);
  const claim: Claim = { profileId: profile.id, event, applicationIds: [], paperIds: [] };
  return [...model.applications.values()].filter((application) => {
    const { certificate, status } = application;
    if (certificate === null || !fits(model, application, claim)) return false;
    return isLiving(application) || (status === 'closed' && certificate.validFrom <= last && certificate.validUntil >= first);
  });
}

/** All that an athlete has for an event: licences that fit, and papers of another federation that were not refused. */
export function bestClaim(model: Model, event: Event, profile: Profile): Claim {
  const papers = [...model.documents.values()].filter(
    ({ profileId, type, status }) => profileId === profile.id && foreignPapers.some((paper) => paper === type) && status !== 'cancelled',
  );
  const licences = fittingLicences(model, event, profile);
  return { profileId: profile.id, event, applicationIds: licences.map(({ id }) => id), paperIds: papers.map(({ id }) => id) };
}
