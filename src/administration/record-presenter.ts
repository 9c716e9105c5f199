import type { z } from 'zod';
import { presentApplication, reviewOf } from '../applications/index.ts';
import { presentDocument } from '../documents/index.ts';
import { formatDateTime } from '../platform/date-time.ts';
import { presentProfile } from '../profiles/index.ts';
import type { Profile } from '../profiles/index.ts';
import type { ApplicationCase } from './find-application-case.ts';
import type { DocumentCase } from './find-document-case.ts';
import type { ProfileCase } from './find-profile-case.ts';
import type { PastDecision } from './list-decisions.ts';
import type { applicationRecordResponse, documentRecordResponse, profileRecordResponse } from './record-schemas.ts';

/** An application with the records behind it, all but its process. @param siteUrl the public address, for the verification link */
export function presentApplicationCase(
  { record, owner, profile, documents, history }: ApplicationCase,
  now: Date,
  siteUrl: string,
): Omit<z.input<typeof applicationRecordResponse>, 'process'> {
  const { process: _process, ...presented } = presentApplication(record, now, siteUrl);
  return {
    ...presented,
    owner,
    profile: presentProfileOfRecord(profile),
    documents: documents.map(presentDocument),
    certificate_review: reviewOf(record, now),
    history: history.map(presentDecision),
  };
}

/** A profile with the records behind it, all but its process. */
export function presentProfileCase({
  profile,
  owner,
  documents,
  history,
}: ProfileCase): Omit<z.input<typeof profileRecordResponse>, 'process'> {
  return {
    ...presentProfileOfRecord(profile),
    owner,
    documents: documents.map(presentDocument),
    history: history.map((made) => ({ part: made.subjectKind === 'photo' ? 'photo' : 'profile', ...presentDecision(made) })),
  };
}

/** A document with what stands on it, all but its process. */
export function presentDocumentCase({
  document,
  profile,
  owner,
  applications,
  registrations,
  history,
}: DocumentCase): Omit<z.input<typeof documentRecordResponse>, 'process'> {
  return {
    ...presentDocument(document),
    owner,
    profile: presentProfileOfRecord(profile),
    applications: applications.map(({ id, serviceId, status }) => ({ id, service_id: serviceId, status })),
    registrations: registrations.map(({ id, eventId, status }) => ({ id, event_id: eventId, status })),
    history: history.map(presentDecision),
  };
}

function presentProfileOfRecord(profile: Readonly<Profile>) {
  return { ...presentProfile(profile), duplicate_iin: profile.duplicateIin };
}

function presentDecision(made: PastDecision): z.input<typeof applicationRecordResponse>['history'][number] {
  return {
    decision: made.decision,
    note: made.note,
    from_status: made.fromStatus,
    to_status: made.toStatus,
    actor_id: made.actorId,
    at: formatDateTime(made.at),
  };
}
