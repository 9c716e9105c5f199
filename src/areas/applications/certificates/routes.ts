import QRCode from 'qrcode';
import { z } from 'zod';
import { baseUrl } from '../../../registry/config.ts';
import { DomainError, fieldProblem } from '../../../errors.ts';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { body as bodyReply, ok } from '../../../http/response/reply.ts';
import { fileStatuses, sendFile } from '../../../http/response/send-file.ts';
import { downloadQuery, idParams } from '../../../http/schemas.ts';
import { commit, query } from '../../../platform/commands/command.ts';
import { formatDateTime } from '../../../platform/time/date-time.ts';
import { correctionLevelOf } from '../../../platform/pdf/draw-qr.ts';
import type { Platform } from '../../../platform/platform.ts';
import { awaitLongWork } from '../../../platform/workflows/send-command.ts';
import { isErased } from '../../accounts/index.ts';
import type { Reading } from '../../audit/index.ts';
import { findCredential, lastSecond } from '../../credentials/index.ts';
import { dueStep } from '../readiness/due-step.ts';
import { requireConsentGiver, requireReader } from '../policy.ts';
import { applicationProcess } from '../process.ts';
import { findApplication, findApplicationRow } from '../queries.ts';
import type { ApplicationRecord, IssuedCertificate } from '../record.ts';
import { applicationResponse, credentialResponse, credentialUrl, presentApplication, sharingBody, verificationUrl } from '../wire.ts';
import { setSharing } from './set-sharing.ts';

const tag = 'Applications';

/** Returns the certificate, also an annulled one. @throws {DomainError} certificate_not_issued when none was issued */
function issuedOf(record: ApplicationRecord): IssuedCertificate {
  if (record.certificate === null) throw new DomainError('certificate_not_issued');
  return record.certificate;
}

/** @throws {DomainError} not_found */
function loadReadable(platform: Platform, reader: Pick<Reading, 'principal' | 'caller'>, id: number, part: string) {
  return query(platform, async (db, now) => requireReader({ ...reader, db, now }, await findApplication(db, id), part));
}

/**
 * Loads an application for its certificate.
 * @throws {DomainError} not_found; service_unavailable while nothing is missing any more and its process is about to issue it (APP-5)
 */
function loadForCertificate(platform: Platform, reader: Pick<Reading, 'principal' | 'caller'>, id: number, part: string) {
  return query(platform, async (db, now) => {
    const record = await requireReader({ ...reader, db, now }, await findApplication(db, id), part);
    // A fee gets no certificate (APP-17).
    if (record.application.kind !== 'event_fee' && dueStep(record, now) === 'approve')
      throw new DomainError('service_unavailable', { retry_after_seconds: 1 }, 'The certificate is being issued; retry in a second.');
    return record;
  });
}

/** The PDF names its holder, and goes with them (PRV-5). @throws {DomainError} not_found for administrators, after an erasure */
async function requireHolder(platform: Platform, { application }: ApplicationRecord, readerId: number): Promise<void> {
  if (application.ownerId === readerId) return;
  if (await query(platform, (db) => isErased(db, application.ownerId)))
    throw new DomainError('not_found', undefined, 'The certificate was erased with its holder.');
}

/** Returns the stored PDF; asks the process to make it first if needed. @throws {DomainError} workflow_unavailable, service_unavailable; cannot_be_made */
async function madePdf(platform: Platform, record: ApplicationRecord, requestId: string) {
  const issued = issuedOf(record);
  if (issued.pdf) return issued.pdf;
  await awaitLongWork(platform, applicationProcess, record.id, requestId);
  const pdf = (await query(platform, (db) => findApplication(db, record.id)))?.certificate?.pdf;
  if (!pdf) throw new DomainError('service_unavailable');
  return pdf;
}

/** Returns the credential; asks the process to sign it with the PDF first if needed. @throws {DomainError} invalid_state, service_unavailable */
async function signedCredential(platform: Platform, record: ApplicationRecord, requestId: string): Promise<string> {
  const read = () => query(platform, (db) => findCredential(db, record.id));
  const kept = await read();
  if (kept === null) throw new DomainError('invalid_state', undefined, 'The certificate was issued before credentials and has none yet.');
  if (kept.credential !== null) return kept.credential;
  await madePdf(platform, record, requestId);
  const signed = (await read())?.credential ?? null;
  if (signed === null) throw new DomainError('service_unavailable');
  return signed;
}

async function sendQr(url: string, { name, isAttachment }: { name: string; isAttachment: boolean }) {
  const png = await QRCode.toBuffer(url, { type: 'png', errorCorrectionLevel: correctionLevelOf(url), margin: 4, width: 640 });
  return bodyReply(png, {
    'Content-Type': 'image/png',
    'Content-Length': String(png.length),
    'Content-Disposition': `${isAttachment ? 'attachment' : 'inline'}; filename="${name}.png"`,
  });
}

/** Routes of an issued certificate: PDF (APP-14), QR, and the owner's consent to share documents (APP-15). */
export const certificateRoutes: Route[] = [
  defineRoute({
    name: 'getCertificate',
    method: 'GET',
    path: '/applications/:id/certificate',
    access: access.scope('applications:read'),
    tag,
    summary: 'Get the certificate as a PDF',
    description:
      'The PDF is generated once, after approval and payment, and never changes. It is kept after an annulment, which only the verification shows. `?download=1` sends it as an attachment. 503: the certificate is being issued, the PDF is being generated or the storage is unavailable; retry after `Retry-After`. 409 `cannot_be_made`: the photo is lost or broken; support must correct the record first.',
    request: { params: idParams, query: downloadQuery },
    response: { content: ['application/pdf'], otherStatuses: fileStatuses },
    errors: ['cannot_be_made', 'certificate_not_issued', 'range_not_satisfiable', 'workflow_unavailable'],
    handler: async ({ platform, principal, caller, params, query: asked, header }) => {
      const record = await loadForCertificate(platform, { principal, caller }, params.id, 'certificate');
      await requireHolder(platform, record, principal.user.id);
      const pdf = await madePdf(platform, record, caller.requestId);
      return sendFile({
        storage: platform.storage,
        key: pdf.storageKey,
        size: pdf.size,
        sha256: pdf.sha256,
        mime: 'application/pdf',
        name: `${record.certificate?.number ?? 'certificate'}.pdf`,
        download: asked.download === '1',
        header,
      });
    },
  }),
  defineRoute({
    name: 'getCertificateQr',
    method: 'GET',
    path: '/applications/:id/qr',
    access: access.scope('applications:read'),
    tag,
    summary: 'Get the QR of an international licence as a PNG',
    description:
      'The QR holds the address of the public verification page; `GET /applications/{id}/credential` has the one with the credential. Other services answer 409 `invalid_state`.',
    request: { params: idParams, query: downloadQuery },
    response: { content: ['image/png'] },
    errors: ['certificate_not_issued', 'invalid_state'],
    handler: async ({ platform, principal, caller, params, query: asked }) => {
      const record = await loadReadable(platform, { principal, caller }, params.id, 'qr');
      const { kind, status } = record.application;
      if (kind !== 'international_licence')
        throw new DomainError('invalid_state', { kind }, 'Only an international licence has a QR to download.');
      // An annulled licence must not be shown, so it has no QR; its PDF stays as a record.
      if (status === 'cancelled') throw new DomainError('certificate_not_issued');
      const issued = issuedOf(record);
      const url = verificationUrl(baseUrl(platform.config), issued.token);
      return sendQr(url, { name: issued.number, isAttachment: asked.download === '1' });
    },
  }),
  defineRoute({
    name: 'getCredential',
    method: 'GET',
    path: '/applications/:id/credential',
    access: access.scope('applications:read'),
    tag,
    summary: 'Get the credential of a certificate, which verifies without a network',
    description:
      'The credential is signed once, with the PDF of the certificate. `?format=png` answers the QR with the link and the credential. 409 `invalid_state`: the certificate was issued before credentials and has none yet. 503: it is being issued or signed; retry after `Retry-After`.',
    request: { params: idParams, query: z.strictObject({ format: z.enum(['json', 'png']).optional() }) },
    response: { data: credentialResponse, content: ['image/png'] },
    errors: ['cannot_be_made', 'certificate_not_issued', 'invalid_state', 'workflow_unavailable'],
    handler: async ({ platform, principal, caller, params, query: asked }) => {
      const record = await loadForCertificate(platform, { principal, caller }, params.id, 'credential');
      const { token, validUntil, number } = issuedOf(record);
      const credential = await signedCredential(platform, record, caller.requestId);
      const url = credentialUrl(baseUrl(platform.config), token, credential);
      if (asked.format !== 'png') return ok({ credential, url, expires_at: formatDateTime(lastSecond(validUntil)) });
      return sendQr(url, { name: number, isAttachment: false });
    },
  }),
  defineRoute({
    name: 'setApplicationSharing',
    method: 'PUT',
    path: '/applications/:id/sharing',
    access: access.scope('applications:write'),
    tag,
    summary: 'Allow or withdraw access to the documents of an international licence by its QR',
    description:
      'While access is allowed, readers of the QR can open the documents. Only the owner can allow it: an administrator cannot, neither with their own account nor while impersonating the owner. Enabling needs `enabled: true` and `confirmed: true`.',
    request: { params: idParams, body: sharingBody, example: { enabled: true, confirmed: true } },
    response: { data: applicationResponse },
    errors: ['forbidden', 'forbidden_while_impersonating', 'sharing_not_available'],
    handler: async ({ platform, caller, params, body }) => {
      const row = await query(platform, (db) => findApplicationRow(db, params.id));
      if (row === null) throw new DomainError('not_found');
      requireConsentGiver(caller.actor, row, body.enabled);
      if (body.enabled && body.confirmed !== true) throw fieldProblem('body.confirmed', 'required', 'must be true to show the documents');
      const data = await commit(platform, caller, async (ctx) => {
        const record = await setSharing(ctx, params.id, { isEnabled: body.enabled });
        return presentApplication(record, ctx.now, baseUrl(platform.config));
      });
      return ok(data);
    },
  }),
];
