import { z } from 'zod';
import { baseUrl } from '../../../config.ts';
import { DomainError, fieldProblem } from '../../../errors.ts';
import { access } from '../../../http/access/access.ts';
import { apiPrefix } from '../../../http/api-prefix.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { chooseLanguage } from '../../../http/language.ts';
import { pageHeaders } from '../../../http/response/page.ts';
import { body, ok } from '../../../http/response/reply.ts';
import { fileStatuses, sendFile } from '../../../http/response/send-file.ts';
import { downloadQuery } from '../../../http/schemas.ts';
import type { Platform } from '../../../platform/platform.ts';
import { type AgreementPage, renderAgreement, renderComparison, renderMissingFile, renderUnknownAgreement } from './page.ts';
import { type AgreementFacts, isInForce, readAgreement } from './verification.ts';
import {
  agreementTokenParams,
  agreementVerificationResponse,
  fileComparisonResponse,
  presentAgreement,
  presentComparison,
  verifyFileFields,
} from './wire.ts';

const tag = 'Session, captcha, public';

/** Public routes of an agreement by the token of its QR (AGR-15). They work without Temporal (API-10). */
export const agreementVerificationRoutes: Route[] = [
  defineRoute({
    name: 'verifyAgreement',
    method: 'GET',
    path: '/contracts/verify/:token',
    access: access.public,
    tag,
    summary: 'Whether an agreement is in force',
    description: 'Computed at the moment of the request. Tells the signer of the federation, and nothing of the organizer or of the text.',
    request: { params: agreementTokenParams },
    response: { data: agreementVerificationResponse },
    handler: async ({ platform, params }) => ok(presentAgreement(await requireAgreement(platform, params.token))),
  }),
  defineRoute({
    name: 'getConfirmedAgreement',
    method: 'GET',
    path: '/contracts/verify/:token/pdf',
    access: access.public,
    tag,
    summary: 'The signed scan of an agreement in force',
    description:
      'Only while the agreement is confirmed; 404 in every other case. That is tested at every opening, parts of the file included.',
    request: { params: agreementTokenParams, query: downloadQuery },
    response: {
      content: ['application/pdf'],
      otherStatuses: fileStatuses,
    },
    errors: ['range_not_satisfiable'],
    handler: async ({ platform, params, query, header }) => {
      const facts = await requireAgreement(platform, params.token);
      if (!isInForce(facts) || !facts.scan) throw new DomainError('not_found');
      const { storageKey: key, size, sha256 } = facts.scan;
      return sendFile({
        storage: platform.storage,
        key,
        size,
        sha256,
        mime: 'application/pdf',
        name: `${facts.number}.pdf`,
        download: query.download === '1',
        header,
      });
    },
  }),
  defineRoute({
    name: 'verifyAgreementFile',
    method: 'POST',
    path: '/contracts/verify-file',
    access: access.public,
    tag,
    summary: 'Whether a file is one of the documents of an agreement',
    description:
      'The file is hashed as it comes in and compared byte for byte with the generated PDF and with the signed scan that was sent last. Nothing of it is kept, and nothing changes.',
    bodyKind: 'digest',
    request: { body: verifyFileFields },
    response: { data: fileComparisonResponse },
    errors: ['not_found'],
    handler: async ({ platform, body: { token }, digest }) => {
      if (!digest) throw fieldProblem('body.file', 'required', 'is required');
      const facts = await requireAgreement(platform, token);
      if (digest.size === 0) throw fieldProblem('body.file', 'file_empty', 'is empty');
      return ok(presentComparison(facts, digest));
    },
  }),
  defineRoute({
    name: 'showAgreementPage',
    method: 'GET',
    path: '/a/:token',
    access: access.public,
    atRoot: true,
    answersPeople: true,
    tag,
    summary: 'The page a person sees after scanning the QR of an agreement',
    // Scanners and messengers may append parameters to the address; they are ignored.
    request: { params: agreementTokenParams, query: z.looseObject({}) },
    response: { content: ['text/html'] },
    handler: async ({ platform, params: { token }, query, header }) => {
      const language = chooseLanguage(query['lang'], header('accept-language'));
      const facts = await readAgreement(platform, token);
      if (!facts) return body(renderUnknownAgreement(language, ''), pageHeaders(language), 404);
      return body(renderAgreement(pageOf(platform, token, facts), language), pageHeaders(language, true));
    },
  }),
  defineRoute({
    name: 'checkAgreementFile',
    method: 'POST',
    path: '/a/:token',
    access: access.public,
    atRoot: true,
    answersPeople: true,
    bodyKind: 'digest',
    tag,
    summary: 'The form of that page: whether a file is one of the documents of the agreement',
    request: { params: agreementTokenParams, query: z.looseObject({}), body: z.looseObject({}) },
    response: { content: ['text/html'] },
    handler: async ({ platform, params: { token }, query, header, digest }) => {
      const language = chooseLanguage(query['lang'], header('accept-language'));
      const facts = await readAgreement(platform, token);
      if (!facts) return body(renderUnknownAgreement(language, null), pageHeaders(language), 404);
      const page = pageOf(platform, token, facts);
      const headers = pageHeaders(language, true);
      // A browser sends an empty file for a form without a chosen one.
      if (!digest || digest.size === 0) return body(renderMissingFile(page, language), headers, 422);
      return body(renderComparison(page, presentComparison(facts, digest), language), headers);
    },
  }),
];

/** @throws {DomainError} not_found */
async function requireAgreement(platform: Platform, token: string): Promise<AgreementFacts> {
  const facts = await readAgreement(platform, token);
  if (!facts) throw new DomainError('not_found');
  return facts;
}

function pageOf(platform: Platform, token: string, facts: AgreementFacts): AgreementPage {
  const encoded = encodeURIComponent(token);
  const scanUrl = `${baseUrl(platform.config)}${apiPrefix}/contracts/verify/${encoded}/pdf`;
  return { facts: presentAgreement(facts), path: `/a/${encoded}`, scanUrl: isInForce(facts) && facts.scan ? scanUrl : null };
}
