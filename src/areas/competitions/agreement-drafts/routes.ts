import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { DomainError } from '../../../errors.ts';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { fileStatuses, sendFile } from '../../../http/response/send-file.ts';
import { downloadQuery, idParams } from '../../../http/schemas.ts';
import { query } from '../../../platform/commands/command.ts';
import type { Database } from '../../../platform/database/database.ts';
import { dayOf } from '../../../platform/time/date-time.ts';
import { errorName } from '../../../platform/logging/error-code.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Event } from '../entities.ts';
import { findEvent } from '../events/queries.ts';
import { requireEventReader } from '../policy.ts';
import { type AgreementDraft, agreementDraftDocument } from './draft-pdf.ts';

/** Route of the agreement draft, for events of the earlier flow (EVT-18). */
export const agreementDraftRoutes: Route[] = [
  defineRoute({
    name: 'getAgreementDraft',
    method: 'GET',
    path: '/events/:id/agreement',
    access: access.scope('events:read'),
    tag: 'Competitions',
    summary: 'Get the draft of the agreement as a PDF (earlier flow)',
    description:
      'Generated from the current event and organizer profile; the same facts give the same bytes. The organizer signs it by hand and attaches its scan to the stage `agreement`. An event with agreement version 3 answers 404: create its agreement with `POST /contracts`. `?download=1` sends the PDF as a download.',
    request: { params: idParams, query: downloadQuery },
    response: {
      content: ['application/pdf'],
      otherStatuses: fileStatuses,
    },
    errors: ['cannot_be_made', 'range_not_satisfiable', 'service_unavailable'],
    handler: async ({ platform, principal, caller, params, query: { download }, header }) => {
      const draft = await query(platform, async (db, now) => {
        const { event } = await requireEventReader({ principal, caller, db, now }, await findEvent(db, params.id), 'agreement');
        if (event.agreementFlow !== 1) throw new DomainError('not_found');
        return findAgreementDraft(platform, db, event);
      });
      const pdf = await draw(platform, draft);
      return sendFile({
        storage: { get: async (_key, range) => Readable.from([range ? pdf.subarray(range.start, range.end + 1) : pdf]) },
        key: 'agreement',
        size: pdf.length,
        sha256: createHash('sha256').update(pdf).digest('hex'),
        mime: 'application/pdf',
        name: `agreement-draft-${params.id}.pdf`,
        download: download === '1',
        header,
      });
    },
  }),
];

/** @throws {DomainError} cannot_be_made, when these facts always fail; service_unavailable, when drawing fails temporarily */
async function draw(platform: Platform, draft: AgreementDraft): Promise<Buffer> {
  try {
    return await platform.drawing.draw(agreementDraftDocument, draft);
  } catch (error) {
    if (errorName(error) === 'UndrawableError') throw new DomainError('cannot_be_made', undefined, undefined, { cause: error });
    if (errorName(error) === 'DrawingUnavailableError')
      throw new DomainError('service_unavailable', undefined, undefined, { cause: error });
    throw error;
  }
}

/** Reads the facts of an agreement draft: the current event, its discipline and its organizer. */
async function findAgreementDraft({ brand }: Pick<Platform, 'brand'>, db: Database, event: Readonly<Event>): Promise<AgreementDraft> {
  const { data, discipline } = await db
    .selectFrom('events as e')
    .innerJoin('profiles as p', 'p.id', 'e.profileId')
    .innerJoin('disciplines as d', 'd.id', 'e.disciplineId')
    .where('e.id', '=', event.id)
    .select(['p.data', 'd.title as discipline'])
    .executeTakeFirstOrThrow();
  // An event belongs to an organizer profile (EVT-1), and the kind of a profile never changes.
  if (!('organization_name' in data)) throw new Error(`the profile of event ${event.id} is not an organizer profile`);
  return {
    brand,
    eventId: event.id,
    createdAt: event.createdAt,
    title: event.title,
    location: event.location,
    discipline,
    firstDay: dayOf(event.startsAt),
    lastDay: dayOf(event.endsAt),
    reserveDay: event.reserveAt === null ? null : dayOf(event.reserveAt),
    organizer: {
      name: data.organization_name,
      bin: data.bin ?? null,
      directorName: data.director_name,
      directorPosition: data.director_position,
      address: data.legal_address,
      phone: data.phone,
      email: data.email,
    },
  };
}
