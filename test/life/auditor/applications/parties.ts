import type { Model } from '../model.ts';
import type { Application, Document } from './application-records.ts';
import { isLiving, isOver } from './ends.ts';
import { bestOf, countedDocuments, isPast, judgedDay, neededOn } from './readiness.ts';

/** Who can move an unmet rule about a record of a living application: its reviewer, otherwise its owner; null where no action helps. */
export function partyOf(model: Model, application: Application, rule: string, today: string): 'owner' | 'administrator' | null {
  if (!isLiving(application) || isOver(model, application, today)) return null;
  const profile = model.profiles.get(application.profileId);
  if (rule === 'profile' || rule === 'photo') {
    if (profile?.data.status === 'cancelled') return null;
    const part = rule === 'profile' ? profile?.data : profile?.photo;
    return part?.status === 'pending' ? 'administrator' : 'owner';
  }
  if (rule === 'files') return 'owner';
  const status = paperOf(model, application, rule, today)?.status;
  if (status === undefined) return null;
  return status === 'pending' ? 'administrator' : 'owner';
}

/** The document in order of time that an unmet rule is about; undefined for a missing one and for a rule about something else. */
function paperOf(model: Model, application: Application, rule: string, today: string): Document | undefined {
  const day = judgedDay(application, today);
  const counted = countedDocuments(model, application, today);
  const requirement = neededOn(model, application, day).find(({ code }) => code === rule);
  const document = requirement ? bestOf(counted, requirement.types, day) : counted.find(({ id }) => rule === `document:${id}`);
  return document && !isPast(document, day) ? document : undefined;
}
