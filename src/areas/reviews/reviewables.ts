import { z } from 'zod';
import type { ErrorCode } from '../../errors.ts';
import { id, note, readVersion } from '../../http/schemas.ts';
import type { Caller } from '../../platform/commands/context.ts';
import type { Database } from '../../platform/database/database.ts';
import { definePoint } from '../../platform/extensions.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Decision } from './entities.ts';

/** Parts of the bodies of `POST /admin/review`, shared by the kinds of records (`reviewables`). */

/** All decisions (REV-1). */
export const decisions = ['approve', 'changes', 'cancel'] as const satisfies readonly Decision[];

/** A decision in an answer. */
export const decisionResponse = z.enum(decisions).describe('`changes`: returned for correction; `cancel`: refused');
export const approve = z.literal('approve');
export const sendBack = z.enum(['changes', 'cancel']).describe('`changes` returns the record for correction, `cancel` refuses it');
export const optionalNote = note.nullable().optional().describe('Kept in the history; an approved record shows no note');
export const requiredNote = note.describe('Shown to the owner, 5-3000 characters');
export const recordId = id.describe('Id of the record; of the profile when the kind is `photo`');

/** The version that the administrator has read (REV-5). */
export const seenVersion = readVersion.optional();

/** Returns the version as an argument of a command. */
export function versionArg({ updated_at: updatedAt }: Pick<ReviewBody, 'updated_at'>): { updatedAt?: string } {
  return updatedAt === undefined ? {} : { updatedAt: updatedAt.toISOString() };
}

/** Builds the body of a kind whose decisions need only a note (REV-1). */
export function decisionsOn<Kind extends string>(kind: Kind) {
  return z.discriminatedUnion('decision', [
    z.strictObject({ kind: z.literal(kind), id: recordId, decision: approve, note: optionalNote, updated_at: seenVersion }),
    z.strictObject({ kind: z.literal(kind), id: recordId, decision: sendBack, note: requiredNote, updated_at: seenVersion }),
  ]);
}

/** Private input of a decision: it stays in the database, and Temporal gets its id only. */
export const decisionInput = z.object({ note: z.string() });

/** Returns a note as private input; null without a note. */
export function privateNote(given: string | null | undefined): z.input<typeof decisionInput> | null {
  return given === null || given === undefined ? null : { note: given };
}

/** The record after a decision (answer of `POST /admin/review`). */
export interface ReviewedRecord {
  kind: string;
  id: number;
  status: string;
  review_note: string | null;
  /** The version after the decision; of the profile for its data and its photo. An application has a revision instead. */
  updated_at?: string;
  /** For an event: the stage that was decided on. */
  stage?: string;
  revision?: number;
  number?: string | null;
  valid_from?: string | null;
  valid_until?: string | null;
}

/** A kind of record that administrators decide on; the area that owns the record registers it. */
export interface Reviewable<Body extends ReviewBody = ReviewBody> {
  kind: Body['kind'];
  /** Body of `POST /admin/review` for this kind; a member of the union discriminated by `kind`. */
  body: z.ZodType<Body>;
  /** Refusals of its decisions, in addition to the common ones. */
  errors?: readonly ErrorCode[];
  /** Finds the record, or the part of it that the decision names; null when it does not exist. */
  find(db: Database, id: number, body: Body): Promise<ReviewedRecord | null>;
  /** Puts the decision into effect through the record's process. @throws {DomainError} its refusal; workflow_unavailable */
  review(platform: Platform, body: Body, caller: Caller): Promise<void>;
}

/** The common fields of every decision; kinds add their own. */
export interface ReviewBody {
  kind: string;
  id: number;
  decision: Decision;
  note?: string | null | undefined;
  updated_at?: Date | undefined;
}

export const reviewables = definePoint<Reviewable>('records that administrators decide on');

/** Defines a kind; it gets only bodies of its own kind. */
export function reviewable<Body extends ReviewBody>(kind: Reviewable<Body>): Reviewable {
  // `find` and `review` take a narrower body than the type says; the union selects by `kind`, so they get no other body.
  return kind;
}
