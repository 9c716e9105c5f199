import { sql } from 'kysely';
import type { CommandContext } from '../../platform/commands/context.ts';
import { inList, json } from '../../platform/database/database.ts';
import { refOf } from '../../platform/workflows/define-process.ts';
import { startProcess } from '../../platform/workflows/start-process.ts';
import { notify } from '../notifications/index.ts';
import type { Registration, RegistrationDocument } from './entities.ts';
import { registrationNotifications } from './notifications.ts';
import { type AcceptedRow, placeOf } from './place-rows.ts';
import { describeRegistration, registrationProcess } from './process.ts';
import { recordSteps } from './record-steps.ts';
import { findPlaces, type Place, type RowRecords } from './row-records.ts';

interface Writing {
  ownerId: number;
  eventId: number;
  documents: RowRecords['documents'];
  isSubmitted: boolean;
}

/** A written registration with its row. */
interface Written {
  registration: Readonly<Registration>;
  row: AcceptedRow;
}

/**
 * Writes the accepted rows, each table with one statement (REG-1).
 * @returns the registration of each new place (`made`), and of each place that was taken in parallel (`taken`)
 */
export async function writeRegistrations(
  ctx: CommandContext,
  writing: Writing,
  accepted: readonly AcceptedRow[],
): Promise<{ made: ReadonlyMap<string, number>; taken: ReadonlyMap<string, number> }> {
  const moved = accepted.flatMap(({ registration, class: next }) =>
    registration === null || registration.class === next ? [] : [registration.id],
  );
  const changed = accepted.flatMap((row): Written[] =>
    row.registration === null ? [] : [{ row, registration: Object.assign(row.registration, contentOf(ctx, row, writing)) }],
  );
  await leavePlaces(ctx, moved);
  // One statement for all changed rows.
  await ctx.em.flush();
  const fresh = accepted.filter(({ registration }) => registration === null);
  const made = await insert(ctx, fresh, writing);
  const written = [...changed, ...made];
  await writeRelatedRows(ctx, written, writing);
  await recordSteps(
    ctx,
    written.map(({ registration, row }) => ({
      registration,
      step: writing.isSubmitted ? (row.waitingPlace === null ? 'submitted' : 'queued') : row.registration === null ? 'created' : 'updated',
      data: { application_ids: row.applicationIds },
    })),
  );
  for (const { registration, row } of written) {
    if (row.waitingPlace === null) continue;
    const facts = { event_id: writing.eventId, place: row.waitingPlace };
    const subject = { kind: 'registration', id: registration.id };
    await notify(ctx, writing.ownerId, registrationNotifications['registration.waiting'], subject, facts);
  }
  // A submission changes who must act, so the process updates its description; `dueAt` was computed above.
  for (const { registration } of changed) if (writing.isSubmitted) ctx.wake(refOf(registrationProcess, registration.id));
  for (const { registration, row } of made)
    await startProcess(ctx, registrationProcess, { id: registration.id, registration, ...row.facts });
  const lost = made.length === fresh.length ? [] : fresh.map(({ profileId }) => profileId);
  return {
    made: idsByPlace(made.map(({ registration }) => registration)),
    taken: idsByPlace(await findPlaces(ctx, writing.eventId, lost)),
  };
}

function idsByPlace(places: readonly Place[]): ReadonlyMap<string, number> {
  return new Map(places.map((place) => [placeOf(place), place.id]));
}

/** Builds a registration from its row, with the next run of its process. */
function contentOf(ctx: CommandContext, row: AcceptedRow, { isSubmitted, ownerId, eventId }: Writing): Registration {
  const before = row.registration;
  const isWaiting = row.waitingPlace !== null;
  const registration: Registration = {
    id: before?.id ?? 0,
    eventId,
    ownerId,
    profileId: row.profileId,
    class: row.class,
    vehicle: row.vehicle,
    status: isSubmitted ? (isWaiting ? 'waiting' : 'submitted') : (before?.status ?? 'draft'),
    startNumber: null,
    reason: isSubmitted ? null : (before?.reason ?? null),
    submittedAt: isSubmitted ? ctx.now : (before?.submittedAt ?? null),
    queuedAt: isWaiting ? ctx.now : null,
    offeredUntil: null,
    hasMissedOffer: false,
    decidedAt: isSubmitted ? null : (before?.decidedAt ?? null),
    // The response already shows that a draft is not eligible, so no lapse is sent; a later recovery is.
    ineligibleSince: row.isEligible ? null : (before?.ineligibleSince ?? ctx.now),
    dueAt: null,
    createdAt: before?.createdAt ?? ctx.now,
    updatedAt: ctx.now,
  };
  const { next } = describeRegistration({ id: registration.id, registration, ...row.facts }, ctx.now);
  return { ...registration, dueAt: next?.at ?? null };
}

/**
 * Moves registrations to temporary classes before a swap: the unique index is checked row by row, so a direct swap would fail. The leading
 * space cannot collide with a class of the settings.
 */
async function leavePlaces(ctx: CommandContext, ids: readonly number[]): Promise<void> {
  if (ids.length < 2) return;
  await ctx.db
    .updateTable('registrations')
    .set((eb) => ({ class: sql<string>`' ' || ${eb.ref('id')}` }))
    .where('id', '=', inList(ids))
    .execute();
}

/** Inserts new registrations, except those whose place is taken; the unique index decides (REG-2). */
async function insert(ctx: CommandContext, rows: readonly AcceptedRow[], writing: Writing): Promise<Written[]> {
  if (rows.length === 0) return [];
  const inserted = await ctx.db
    .insertInto('registrations')
    .values(
      rows.map((row) => {
        const { id: _id, ...registration } = contentOf(ctx, row, writing);
        return { ...registration, vehicle: json(registration.vehicle) };
      }),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .execute();
  const byPlace = new Map(inserted.map((registration) => [placeOf(registration), registration]));
  return rows.flatMap((row) => {
    const registration = byPlace.get(placeOf(row));
    return registration === undefined ? [] : [{ registration, row }];
  });
}

/** Writes licences, crews and documents; replaces those of changed registrations. */
async function writeRelatedRows(ctx: CommandContext, written: readonly Written[], writing: Writing): Promise<void> {
  const changed = written.flatMap(({ row: { registration } }) => (registration === null ? [] : [registration.id]));
  if (changed.length > 0)
    for (const table of ['registration_licences', 'registration_crew', 'registration_documents'] as const)
      await ctx.db.deleteFrom(table).where('registrationId', '=', inList(changed)).execute();
  const licences = written.flatMap(({ registration, row }) =>
    row.applicationIds.map((applicationId) => ({ registrationId: registration.id, applicationId })),
  );
  if (licences.length > 0) await ctx.db.insertInto('registration_licences').values(licences).execute();
  const crew = written.flatMap(({ registration, row }) =>
    row.facts.crew.map(({ role, registrationId: memberId }) => ({ registrationId: registration.id, memberId, role })),
  );
  if (crew.length > 0) await ctx.db.insertInto('registration_crew').values(crew).execute();
  const documents = written.flatMap((one) => snapshotOf(one, writing));
  if (documents.length > 0) await ctx.db.insertInto('registration_documents').values(documents).execute();
}

/** Builds the snapshot (REG-10): attached papers, and at submission also the documents of the licences. */
function snapshotOf({ registration, row }: Written, { documents, isSubmitted }: Writing): RegistrationDocument[] {
  const attached = new Set(row.facts.papers.map(({ id }) => id));
  const ofLicences = isSubmitted ? row.facts.licences.flatMap(({ validity }) => validity.documents.map(({ id }) => id)) : [];
  return [...new Set([...attached, ...ofLicences])].flatMap((id) => {
    const document = documents.get(id);
    if (document === undefined) return [];
    const { type, number, expiresAt, status, fileId } = document;
    return [{ registrationId: registration.id, documentId: id, isAttached: attached.has(id), type, number, expiresAt, status, fileId }];
  });
}
