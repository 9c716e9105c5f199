import { sql } from 'kysely';
import { documentContract } from '../../../workflows/contracts/document.contract.ts';
import { assertNever } from '../../errors.ts';
import type { Database } from '../../platform/database/database.ts';
import { dayOf, endOfDay } from '../../platform/time/date-time.ts';
import {
  defineProcess,
  type DueRecord,
  type NextLook,
  type ProcessState,
  withPrivateInput,
} from '../../platform/workflows/define-process.ts';
import { livingOf } from '../../platform/workflows/due-at.ts';
import { decisionInput } from '../reviews/index.ts';
import { correctDocument } from './correct-document.ts';
import { type Document, expiresAutomatically, isLiving, isReminding } from './entities.ts';
import { isReminderDue, reminderAhead, reminderLook } from './expiry-reminders.ts';
import { findDocuments } from './queries.ts';
import { reconsiderDocument } from './reconsider-document.ts';
import { reviewDocument } from './review-document.ts';
import { expiryInstant, isExpiryDue, remindedOf } from './states.ts';
import { correctionInput } from './wire.ts';

/** A document's process: waits for its review, sends reminders, expires it after its last day, and wakes its dependents. */
export const documentProcess = defineProcess(documentContract, {
  summary: (id) => `Document ${id}: review and expiry`,
  read: findDocuments,
  describe,
  since: ({ statusSince }) => statusSince,
  reconsider: reconsiderDocument,
  listDue,
  listLiving: livingOf('documents', isLiving),
  commands: {
    review: withPrivateInput(reviewDocument, decisionInput),
    correct: withPrivateInput(correctDocument, correctionInput),
  },
});

/** Lists due expiries and reminders in one order. No document has both: after its last day no reminder is due. */
async function listDue(db: Database, now: Date, after: DueRecord | null, limit: number): Promise<DueRecord[]> {
  const [expiring, reminding] = await Promise.all([listExpiring(db, now, after, limit), listReminding(db, now, after, limit)]);
  return [...expiring, ...reminding]
    .toSorted((left, right) => left.at.getTime() - right.at.getTime() || left.id - right.id)
    .slice(0, limit);
}

/** Lists due reminders. Uses documents_reminder_index. */
async function listReminding(db: Database, now: Date, after: DueRecord | null, limit: number): Promise<DueRecord[]> {
  let due = db
    .selectFrom('documents')
    .select(['id', 'remindAt'])
    .where(sql<boolean>`${sql.raw(isReminding)}`)
    .where('remindAt', '<=', now)
    .where('expiresAt', '>=', dayOf(now))
    .orderBy('remindAt')
    .orderBy('id')
    .limit(limit);
  if (after !== null) due = due.where((eb) => eb(eb.refTuple('remindAt', 'id'), '>', eb.tuple(after.at, after.id)));
  return (await due.execute()).flatMap(({ id, remindAt }) => (remindAt === null ? [] : [{ id, at: remindAt }]));
}

/** Lists due expiries: `isExpiryDue` in SQL. Uses documents_expiry_index. */
async function listExpiring(db: Database, now: Date, after: DueRecord | null, limit: number): Promise<DueRecord[]> {
  let due = db
    .selectFrom('documents')
    .select(['id', 'expiresAt'])
    .where(sql<boolean>`${sql.raw(expiresAutomatically)}`)
    .where('expiresAt', '<', dayOf(now))
    .orderBy('expiresAt')
    .orderBy('id')
    .limit(limit);
  // The cursor holds the end of the last day: a document is due from then on.
  if (after !== null) {
    const lastDay = dayOf(new Date(after.at.getTime() - 1));
    due = due.where((eb) => eb(eb.refTuple('expiresAt', 'id'), '>', eb.tuple(lastDay, after.id)));
  }
  return (await due.execute()).flatMap(({ id, expiresAt }) => (expiresAt === null ? [] : [{ id, at: endOfDay(expiresAt) }]));
}

function describe(document: Readonly<Document>, now: Date): ProcessState {
  const expiry = expiryInstant(document);
  const reminded = remindedOf(document);
  const about = `document ${document.id} (${document.type}) of profile ${document.profileId}`;
  const validity = document.expiresAt === null ? 'It has no last day.' : `Its last day is ${document.expiresAt}.`;
  const state = {
    stage: document.status,
    isOver: false,
    isDue: isExpiryDue(document, now) || (reminded !== null && isReminderDue(reminded, now)),
    next: nextLook(document, now),
  };
  switch (document.status) {
    case 'pending':
      return { ...state, waitingFor: 'administrator', details: `Waits for an administrator to review ${about}. ${validity}` };
    case 'changes':
      return { ...state, waitingFor: 'owner', details: `Waits for the owner to correct or replace ${about}. ${validity}` };
    case 'approved':
      return expiry === null
        ? { ...state, waitingFor: 'none', details: `Approved: ${about}. ${validity}`, isOver: true }
        : { ...state, waitingFor: 'date', details: `Approved: ${about}. ${waitOf(document, now)}` };
    case 'cancelled':
      return { ...state, waitingFor: 'none', details: `Refused: ${about}.`, isOver: true };
    case 'expired':
      return { ...state, waitingFor: 'none', details: `Expired: ${about}. ${validity}`, isOver: true };
    default:
      return assertNever(document.status);
  }
}

function waitOf(document: Readonly<Document>, now: Date): string {
  const reminded = remindedOf(document);
  const at = reminded && reminderAhead(reminded, now);
  return `Waits for its last day to pass: ${document.expiresAt}.${at === null ? '' : ` Its owner is reminded on ${dayOf(at)}.`}`;
}

/** The next reminder, or the end of the last day when no reminder is left. */
function nextLook(document: Readonly<Document>, now: Date): NextLook | null {
  const expiry = expiryInstant(document);
  const reminded = remindedOf(document);
  if (expiry === null) return null;
  const reminder = reminded && reminderLook(reminded, now, { id: document.id, what: `document ${document.id}` });
  return reminder ?? { at: expiry, why: `document ${document.id} expires` };
}
