import { randomBytes } from 'node:crypto';
import { DomainError, fieldProblem } from '../../../errors.ts';
import { accountableUserId, type CommandContext, impersonatedUserId } from '../../../platform/commands/context.ts';
import type { Database } from '../../../platform/database/database.ts';
import { holdUnchanged, type Locked, lockedAsNew } from '../../../platform/database/lock.ts';
import { yearOf } from '../../../platform/time/date-time.ts';
import { takeNumber } from '../../applications/index.ts';
import { audit } from '../../audit/index.ts';
import { type Event, isLivingEvent, requireEventOwner } from '../../competitions/index.ts';
import { type Profile, ProfileEntity } from '../../profiles/index.ts';
import { type Contract, type ContractCreator, ContractEntity, type ContractSnapshot } from '../entities.ts';
import { recordInEvent } from './steps.ts';
import { findCurrentSigning, type Signing } from '../signing/find-signing.ts';
import { findDefaultTemplate, findTemplate, type Template } from '../templates/find-template.ts';
import { findLiveContractId } from './queries.ts';

/** The client's choices for an agreement. */
export interface ContractContent {
  /** Null for the default template. */
  templateId: number | null;
  /** The organizer's own paragraphs. */
  notes: string | null;
}

const series = 'A';

/**
 * Inserts an agreement about an event that the caller has locked (AGR-13).
 *
 * Stores a snapshot of event, organizer and signing setting, from which alone the PDF is made (AGR-3). Takes the number in the same
 * transaction, so numbers have no gaps (AGR-2).
 * @param replaced the version that it replaces; null for the first
 * @throws {DomainError} not_found, invalid_state (the event is over or of the earlier flow), profile_not_approved, validation_failed (the
 * template), federation_signing_missing, contract_exists `{contract_id}`
 */
export async function insertContract(
  ctx: CommandContext,
  event: Locked<Event>,
  content: ContractContent,
  replaced: Pick<Contract, 'id' | 'version'> | null,
): Promise<Readonly<Contract>> {
  const eventId = event.id;
  const profile = await holdOrganizer(ctx, event);
  const existingId = await findLiveContractId(ctx.db, eventId);
  if (existingId !== null) throw new DomainError('contract_exists', { contract_id: existingId });
  const template = await requireTemplate(ctx.db, content.templateId);
  const signing = await findCurrentSigning(ctx.db);
  if (signing === null) throw new DomainError('federation_signing_missing');
  const year = yearOf(ctx.now);
  const sequence = await takeNumber(ctx, series, year);
  const contract = lockedAsNew<Contract>(
    ctx.em.create(ContractEntity, {
      eventId,
      ownerId: event.ownerId,
      number: `${series}-${year}-${String(sequence).padStart(5, '0')}`,
      year,
      sequence,
      version: (replaced?.version ?? 0) + 1,
      status: 'generated',
      templateId: template.id,
      templateVersion: template.version,
      signingId: signing.id,
      snapshot: snapshotOf(event, profile, signing, content.notes),
      creator: creatorOf(ctx),
      token: randomBytes(32).toString('base64url'),
      signedAt: ctx.now,
      pages: null,
      originalStorageKey: null,
      originalSha256: null,
      originalSize: null,
      scanStorageKey: null,
      scanSha256: null,
      scanSize: null,
      scanPages: null,
      scanUploadedAt: null,
      decidedAt: null,
      reason: null,
      replacesId: replaced?.id ?? null,
      replacedById: null,
      remindedAt: null,
      dueAt: null,
      closedAt: null,
      unseenSince: null,
      createdAt: ctx.now,
      updatedAt: ctx.now,
    }),
  );
  recordInEvent(ctx, event, contract);
  // The audit needs the id, which the database assigns.
  await ctx.em.flush();
  const { id, number, version, templateVersion } = contract;
  const facts = { number, version, event_id: eventId, template_id: template.id, template_version: templateVersion, signing_id: signing.id };
  await audit(ctx, 'contract.created', { kind: 'contract', id }, facts);
  return contract;
}

/** Checks the event and its organizer (AGR-13) and locks the profile against changes. */
async function holdOrganizer(ctx: CommandContext, event: Readonly<Event>): Promise<Readonly<Profile>> {
  const { status } = requireEventOwner(ctx.actor, event);
  if (!isLivingEvent(status)) throw new DomainError('invalid_state', { status, allowed: [] }, 'The event is over.');
  if (event.agreementFlow !== 3)
    throw new DomainError(
      'invalid_state',
      { status, allowed: [] },
      'The event is of the earlier flow and has a draft of its agreement instead.',
    );
  const profile = await holdUnchanged(ctx.em, ProfileEntity, { id: event.profileId });
  if (profile?.kind !== 'organizer' || profile.status !== 'approved')
    throw new DomainError('profile_not_approved', { profile_id: event.profileId });
  return profile;
}

/** @throws {DomainError} validation_failed when the template is absent or inactive */
async function requireTemplate(db: Database, id: number | null): Promise<Template> {
  const template = await (id === null ? findDefaultTemplate(db) : findTemplate(db, id));
  if (!template?.isActive) throw fieldProblem('body.template_id', 'not_found', 'is not an active template');
  return template;
}

function creatorOf({ actor, ip, requestId }: CommandContext): ContractCreator | null {
  const userId = accountableUserId(actor);
  return userId === null ? null : { userId, impersonatedUserId: impersonatedUserId(actor), ip, requestId };
}

function snapshotOf(event: Readonly<Event>, { data }: Readonly<Profile>, signing: Signing, notes: string | null): ContractSnapshot {
  if (!('organization_name' in data)) throw new Error('the profile of an organizer has no organizer data');
  return {
    eventTitle: event.title,
    eventStartsAt: event.startsAt.toISOString(),
    eventEndsAt: event.endsAt.toISOString(),
    eventLocation: event.location,
    disciplineId: event.disciplineId,
    organizerName: data.organization_name,
    organizerBin: data.bin ?? null,
    organizerDirector: data.director_name,
    notes,
    signerName: signing.signerName,
    signerPosition: signing.signerPosition,
  };
}
