import { DomainError } from '../../errors.ts';
import { recordCheck, type RecordCheck } from '../../http/record-check.ts';
import { idParams } from '../../http/schemas.ts';
import { actingUserId, type CommandContext } from '../../platform/context.ts';
import { lockOwnFile } from '../files/index.ts';
import { checkDates, checkIssue } from './check-dates.ts';
import { lockDocument, lockOwnDocument } from './queries.ts';
import { correctDocumentBody, createDocumentBody } from './wire.ts';

const { issued_at: issuedAt, expires_at: expiresAt, file_id: fileId } = createDocumentBody.shape;

/** Checks of new and changed documents: each day by itself, and the file belongs to the caller. */
const commonChecks: readonly RecordCheck[] = [
  recordCheck({ body: { issued_at: issuedAt } }, (ctx, { body }) =>
    checkDates({ issuedAt: body.issued_at ?? null, expiresAt: null }, ctx.now),
  ),
  recordCheck({ body: { expires_at: expiresAt } }, (ctx, { body }) =>
    checkDates({ issuedAt: null, expiresAt: body.expires_at ?? null }, ctx.now),
  ),
  recordCheck({ body: { file_id: fileId } }, (ctx, { body }) => lockCallersFile(ctx, body.file_id)),
];

/** Checks of `createDocument` that need the clock or records. */
export const createChecks: readonly RecordCheck[] = [
  ...commonChecks,
  recordCheck({ body: { issued_at: issuedAt, expires_at: expiresAt } }, (ctx, { body }) =>
    checkDates({ issuedAt: body.issued_at ?? null, expiresAt: body.expires_at ?? null }, ctx.now),
  ),
];

/** Checks of `updateDocument` that need the clock or records; an omitted day stays. */
export const updateChecks: readonly RecordCheck[] = [
  ...commonChecks,
  recordCheck({ params: idParams.shape, body: { issued_at: issuedAt, expires_at: expiresAt } }, async (ctx, { params, body }) => {
    const document = await lockOwnDocument(ctx, params.id);
    const [issued = document.issuedAt, expires = document.expiresAt] = [body.issued_at, body.expires_at];
    checkDates({ issuedAt: issued, expiresAt: expires }, ctx.now);
  }),
];

const { issued_at: correctedIssue, expires_at: correctedExpiry } = correctDocumentBody.shape;

/** Checks of `correctDocument` that need the clock or records; an expired document may be corrected. */
export const correctionChecks: readonly RecordCheck[] = [
  recordCheck({ body: { issued_at: issuedAt } }, (ctx, { body }) =>
    checkIssue({ issuedAt: body.issued_at ?? null, expiresAt: null }, ctx.now),
  ),
  recordCheck(
    { params: idParams.shape, body: { issued_at: correctedIssue, expires_at: correctedExpiry } },
    async (ctx, { params, body }) => {
      const { document } = await lockDocument(ctx, params.id);
      const { issued_at: issued = document.issuedAt, expires_at: expires = document.expiresAt } = body;
      checkIssue({ issuedAt: issued, expiresAt: expires }, ctx.now);
    },
  ),
];

async function lockCallersFile(ctx: CommandContext, id: string): Promise<void> {
  const userId = actingUserId(ctx.actor);
  if (userId === null) throw new DomainError('not_found');
  await lockOwnFile(ctx, id, userId);
}
