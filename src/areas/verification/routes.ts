import { z } from 'zod';
import { baseUrl } from '../../registry/config.ts';
import { DomainError } from '../../errors.ts';
import { access } from '../../http/access/access.ts';
import { apiPrefix } from '../../http/api-prefix.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import { chooseLanguage } from '../../http/language.ts';
import { ok, pageFor } from '../../http/response/reply.ts';
import { fileStatuses, sendFile } from '../../http/response/send-file.ts';
import { downloadQuery } from '../../http/schemas.ts';
import type { Platform } from '../../platform/platform.ts';
import { uploadMimes } from '../files/index.ts';
import { renderUnknown, renderVerification } from './page.ts';
import { readCertificate } from './read-certificate.ts';
import { readCertificateOn } from './read-validity.ts';
import { readSharedLicence } from './shared-documents.ts';
import * as wire from './wire.ts';

const tag = 'Session, captcha, public';

/** Public routes for holders of a QR. None of them needs Temporal (API-10). */
export const verificationRoutes: Route[] = [
  defineRoute({
    name: 'verifyCertificate',
    method: 'GET',
    path: '/verify/:token',
    access: access.public,
    tag,
    summary: 'Verify a certificate or licence',
    description:
      'Computed at the time of the request. Contains no names, scans or notes. With `on` it answers for that day. A past day is answered by the facts at its end (UTC+5), a future day by the present facts.',
    request: { params: wire.tokenParams, query: wire.verificationQuery },
    response: { data: wire.verificationResponse },
    handler: async ({ platform, params, query }) => {
      const certificate =
        query.on === undefined ? await readCertificate(platform, params.token) : await readCertificateOn(platform, params.token, query.on);
      if (!certificate) throw new DomainError('not_found');
      return ok(wire.presentVerification(certificate, query.on));
    },
  }),
  defineRoute({
    name: 'listSharedDocuments',
    method: 'GET',
    path: '/verify/:token/documents',
    access: access.public,
    tag,
    summary: 'List the shared documents of an international licence',
    description: 'Available while the licence is valid and its owner consents. All other cases answer 404 `not_found`.',
    request: { params: wire.tokenParams },
    response: { data: wire.sharedDocumentsResponse },
    handler: async ({ platform, params }) => {
      const licence = await readSharedLicence(platform, params.token);
      if (!licence) throw new DomainError('not_found');
      return ok(wire.presentSharedLicence(licence, (position) => documentUrl(platform, params.token, position)));
    },
  }),
  defineRoute({
    name: 'getSharedDocument',
    method: 'GET',
    path: '/verify/:token/documents/:n',
    access: access.public,
    tag,
    summary: 'Get a shared document of an international licence',
    description: 'Validity and consent are checked at every request, also for a range of the file.',
    request: { params: wire.sharedFileParams, query: downloadQuery },
    response: {
      content: uploadMimes,
      otherStatuses: fileStatuses,
    },
    errors: ['range_not_satisfiable'],
    handler: async ({ platform, params, query, header }) => {
      const licence = await readSharedLicence(platform, params.token);
      const document = licence?.documents[params.n - 1];
      if (!document) throw new DomainError('not_found');
      return sendFile({
        storage: platform.storage,
        ...document.file,
        name: `${document.type}-${params.n}`,
        download: query.download === '1',
        header,
      });
    },
  }),
  defineRoute({
    name: 'showVerificationPage',
    method: 'GET',
    path: '/v/:token',
    access: access.public,
    atRoot: true,
    answersPeople: true,
    tag,
    summary: 'Show the verification page of a QR',
    // Scanners and messengers append parameters, which must not cause an error page.
    request: { params: wire.tokenParams, query: z.looseObject({}) },
    response: { content: ['text/html'] },
    handler: async ({ platform, params, query, header }) => {
      const language = chooseLanguage(query['lang'], header('accept-language'));
      const certificate = await readCertificate(platform, params.token);
      if (!certificate) return pageFor(renderUnknown(language), 404);
      const facts = wire.presentVerification(certificate);
      const licence = facts.valid && facts.documents_access ? await readSharedLicence(platform, params.token) : null;
      const documents = (licence?.documents ?? []).map(({ type }, index) => ({
        type,
        url: documentUrl(platform, params.token, index + 1),
      }));
      return pageFor(renderVerification(facts, documents, language));
    },
  }),
];

function documentUrl(platform: Platform, token: string, position: number): string {
  return `${baseUrl(platform.config)}${apiPrefix}/verify/${encodeURIComponent(token)}/documents/${position}`;
}
