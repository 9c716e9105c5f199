import QRCode from 'qrcode';
import { certificateUpdate } from '../../workflows/application-lifecycle.contract.ts';
import { baseUrl } from '../config.ts';
import { DomainError, fieldProblem } from '../errors.ts';
import { access } from '../http/access.ts';
import { defineRoute } from '../http/define-route.ts';
import type { Route } from '../http/define-route.ts';
import { body as bodyReply, ok } from '../http/reply.ts';
import { downloadQuery, idParams } from '../http/schemas.ts';
import { sendFile } from '../http/send-file.ts';
import { read, runCommand } from '../platform/command.ts';
import type { Platform } from '../platform/platform.ts';
import { processRef } from '../platform/process-ref.ts';
import { requireReader } from './policy.ts';
import { presentApplication, verificationUrl } from './presenter.ts';
import { findApplication } from './queries.ts';
import type { ApplicationRecord, IssuedCertificate } from './record.ts';
import { applicationShape, sharingBody } from './schemas.ts';
import { setSharing } from './set-sharing.ts';

const tag = 'Applications';

/** The certificate, also when it is annulled. @throws {DomainError} certificate_not_issued, when there never was one */
function issuedOf(record: ApplicationRecord): IssuedCertificate {
  if (record.certificate === null) throw new DomainError('certificate_not_issued');
  return record.certificate;
}

/** Where the PDF lies; the process is asked to make it when nobody has yet. @throws {DomainError} workflow_unavailable */
async function madePdf(platform: Platform, record: ApplicationRecord, requestId: string) {
  const issued = issuedOf(record);
  if (issued.pdf) return issued.pdf;
  await platform.processes.ask(processRef('application', record.id), certificateUpdate, requestId);
  const pdf = (await read(platform, (em) => findApplication(em, record.id)))?.certificate?.pdf;
  if (!pdf) throw new DomainError('service_unavailable');
  return pdf;
}

/** What an approved application gives out: its PDF, its QR, and the owner's consent to show its documents. */
export const certificateRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/applications/:id/certificate',
    access: access.scope('applications:read'),
    tag,
    summary: 'The certificate as a PDF',
    description:
      'Made once, after approval and payment, and never changed; kept also when it is annulled, which its verification tells. `?download=1` sends it as a file to keep.',
    request: { params: idParams, query: downloadQuery },
    response: { content: ['application/pdf'] },
    errors: ['certificate_not_issued', 'range_not_satisfiable', 'workflow_unavailable'],
    handler: async ({ platform, principal, caller, params, query, header }) => {
      const record = requireReader(principal, await read(platform, (em) => findApplication(em, params.id)));
      const pdf = await madePdf(platform, record, caller.requestId);
      return sendFile({
        storage: platform.storage,
        key: pdf.storageKey,
        size: pdf.size,
        sha256: pdf.sha256,
        mime: 'application/pdf',
        name: `${record.certificate?.number ?? 'certificate'}.pdf`,
        download: query.download === '1',
        header,
      });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/applications/:id/qr',
    access: access.scope('applications:read'),
    tag,
    summary: 'The QR of an international licence as a PNG',
    description:
      'Holds the address of the public verification page. Only an international licence has one to download; 409 for other services.',
    request: { params: idParams, query: downloadQuery },
    response: { content: ['image/png'] },
    errors: ['certificate_not_issued', 'invalid_state'],
    handler: async ({ platform, principal, params, query }) => {
      const record = requireReader(principal, await read(platform, (em) => findApplication(em, params.id)));
      if (record.kind !== 'international_licence')
        throw new DomainError('invalid_state', { kind: record.kind }, 'Only an international licence has a QR to download.');
      // An annulled licence is nothing to show at a start; its PDF stays as a record of what was issued.
      if (record.status === 'cancelled') throw new DomainError('certificate_not_issued');
      const issued = issuedOf(record);
      const png = await QRCode.toBuffer(verificationUrl(baseUrl(platform.config), issued.token), {
        type: 'png',
        errorCorrectionLevel: 'M',
        margin: 4,
        width: 640,
      });
      return bodyReply(png, {
        'Content-Type': 'image/png',
        'Content-Length': String(png.length),
        'Content-Disposition': `${query.download === '1' ? 'attachment' : 'inline'}; filename="${issued.number}.png"`,
        'Cache-Control': 'private, no-cache',
      });
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/applications/:id/sharing',
    access: access.scope('applications:write'),
    tag,
    summary: 'Allow or stop showing the documents of an international licence to whoever scans its QR',
    description: 'Only the owner; an administrator cannot give the consent. Enabling needs `enabled: true` and `confirmed: true`.',
    request: { params: idParams, body: sharingBody },
    response: { data: applicationShape },
    errors: ['forbidden', 'sharing_not_available'],
    handler: async ({ platform, principal, caller, params, body }) => {
      requireReader(principal, await read(platform, (em) => findApplication(em, params.id)));
      if (body.enabled && body.confirmed !== true) throw fieldProblem('body.confirmed', 'required', 'must be true to show the documents');
      await runCommand(platform, caller, (ctx) => setSharing(ctx, { id: params.id, enabled: body.enabled }));
      return read(platform, async (em, now) => {
        const record = requireReader(principal, await findApplication(em, params.id));
        return ok(presentApplication(record, now, baseUrl(platform.config)));
      });
    },
  }),
];
