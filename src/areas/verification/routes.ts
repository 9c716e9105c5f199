import { z } from 'zod';
import { baseUrl } from '../../config.ts';
import { DomainError } from '../../errors.ts';
import { access } from '../../http/access/access.ts';
import { apiPrefix } from '../../http/api-prefix.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import { chooseLanguage } from '../../http/language.ts';
import { pageHeaders } from '../../http/response/page.ts';
import { body, ok } from '../../http/response/reply.ts';
import { fileStatuses, sendFile } from '../../http/response/send-file.ts';
import { downloadQuery } from '../../http/schemas.ts';
import type { Platform } from '../../platform/platform.ts';
import { uploadMimes } from '../files/index.ts';
import { renderUnknown, renderVerification } from './page.ts';
import { readCertificate } from './read-certificate.ts';
import { readCertificateOn } from './read-validity.ts';
import { readSharedLicence } from './shared-documents.ts';
import {
  presentSharedLicence,
  presentVerification,
  sharedDocumentsResponse,
  sharedFileParams,
  tokenParams,
  verificationQuery,
  verificationResponse,
} from './wire.ts';

const tag = 'Session, captcha, public';

/** Public routes for holders of a QR. None of them needs Temporal (API-10). */
export const verificationRoutes: Route[] = [
  defineRoute({
    name: 'verifyCertificate',
    method: 'GET',
    path: '/verify/:token',
    access: access.public,
    tag,
    summary: 'Whether a certificate or licence is in force',
    description:
      'Computed at the moment of the request. Holds no name, no scan and no remark. With `on` it answers for that day: a past one as it stood when the day ended (UTC+5), whatever has happened since; a day to come by what stands now.',
    request: { params: tokenParams, query: verificationQuery },
    response: { data: verificationResponse },
    handler: async ({ platform, params, query }) => {
      const certificate =
        query.on === undefined ? await readCertificate(platform, params.token) : await readCertificateOn(platform, params.token, query.on);
      if (!certificate) throw new DomainError('not_found');
      return ok(presentVerification(certificate, query.on));
    },
  }),
  defineRoute({
    name: 'listSharedDocuments',
    method: 'GET',
    path: '/verify/:token/documents',
    access: access.public,
    tag,
    summary: 'Documents behind an international licence that its owner lets be seen',
    description: 'Only while the licence is in force and its owner has consented; answers 404 in every other case.',
    request: { params: tokenParams },
    response: { data: sharedDocumentsResponse },
    handler: async ({ platform, params }) => {
      const licence = await readSharedLicence(platform, params.token);
      if (!licence) throw new DomainError('not_found');
      return ok(presentSharedLicence(licence, (position) => documentUrl(platform, params.token, position)));
    },
  }),
  defineRoute({
    name: 'getSharedDocument',
    method: 'GET',
    path: '/verify/:token/documents/:n',
    access: access.public,
    tag,
    summary: 'One of these scans',
    description: 'Validity and consent are tested at every opening, parts of a file included.',
    request: { params: sharedFileParams, query: downloadQuery },
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
    summary: 'The page a person sees after scanning a QR',
    // Scanners and messengers append parameters, which must not cause an error page.
    request: { params: tokenParams, query: z.looseObject({}) },
    response: { content: ['text/html'] },
    handler: async ({ platform, params, query, header }) => {
      const language = chooseLanguage(query['lang'], header('accept-language'));
      const headers = pageHeaders(language);
      const certificate = await readCertificate(platform, params.token);
      if (!certificate) return body(renderUnknown(language), headers, 404);
      const facts = presentVerification(certificate);
      const licence = facts.valid && facts.documents_access ? await readSharedLicence(platform, params.token) : null;
      const documents = (licence?.documents ?? []).map(({ type }, index) => ({
        type,
        url: documentUrl(platform, params.token, index + 1),
      }));
      return body(renderVerification(facts, documents, language), headers);
    },
  }),
];

function documentUrl(platform: Platform, token: string, position: number): string {
  return `${baseUrl(platform.config)}${apiPrefix}/verify/${encodeURIComponent(token)}/documents/${position}`;
}
