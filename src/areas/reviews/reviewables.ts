import type { z } from 'zod';
import type { ErrorCode } from '../../errors.ts';
import type { RecordCheck } from '../../http/record-check.ts';
import type { Caller } from '../../platform/context.ts';
import type { Database } from '../../platform/database/database.ts';
import { definePoint } from '../../platform/extensions.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Decision } from './entities.ts';

/** What an administrator's decision was made about, as it stands now (answer of `POST /admin/review`). */
export interface ReviewedRecord {
  kind: string;
  id: number;
  status: string;
  review_note: string | null;
  /** Of an event: the stage that was decided on. */
  stage?: string;
  revision?: number;
  number?: string | null;
  valid_from?: string | null;
  valid_until?: string | null;
}

/** A kind of record that administrators decide on; the area that owns the record enters it. */
export interface Reviewable<Body extends ReviewBody = ReviewBody> {
  kind: Body['kind'];
  /** What `POST /admin/review` takes for this kind: members of one union, told apart by `kind`. */
  body: z.ZodType<Body>;
  /** What its decision asks of the record and the clock, where that names fields of the body. */
  checks?: readonly RecordCheck[];
  /** Refusals of its decisions beside those that every kind has. */
  errors?: readonly ErrorCode[];
  /** The record itself, or the part of it that the decision names; null when there is none. */
  find(db: Database, id: number, body: Body): Promise<ReviewedRecord | null>;
  /** Puts the decision into effect by the record's process. @throws {DomainError} its refusal; workflow_unavailable */
  review(platform: Platform, body: Body, options: { caller: Caller; idempotencyKey: string | null }): Promise<void>;
}

/** What every decision has; kinds add to it. */
export interface ReviewBody {
  kind: string;
  id: number;
  decision: Decision;
  note?: string | null | undefined;
}

export const reviewables = definePoint<Reviewable>('records that administrators decide on');

/** Enters a kind; each gets only bodies of its own kind. */
export function reviewable<Body extends ReviewBody>(kind: Reviewable<Body>): Reviewable {
  // `find` and `review` take a narrower body than the type says; the union has picked the member by `kind`, so they meet no other.
  return kind;
}
