import { z } from 'zod';
import { baseUrl } from '../../../registry/config.ts';
import { DomainError, fieldProblem } from '../../../errors.ts';
import { access } from '../../../http/access/access.ts';
import { apiPrefix } from '../../../http/api-prefix.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { chooseLanguage } from '../../../http/language.ts';
import { ok, pageFor } from '../../../http/response/reply.ts';
import { fileStatuses, sendFile } from '../../../http/response/send-file.ts';
import { downloadQuery } from '../../../http/schemas.ts';
import { query as runQuery } from '../../../platform/commands/command.ts';
import type { Platform } from '../../../platform/platform.ts';
import { type ContractRecord, findContractByToken } from '../contracts/queries.ts';
import { isInForce } from '../contracts/states.ts';
import { type AgreementPage, renderAgreement, renderComparison, renderMissingFile, renderUnknownAgreement } from './page.ts';
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
    summary: 'Check whether an agreement is in force',
    description: 'Computed at each request. Shows the signer of the federation, but neither the organizer nor the text.',
    request: { params: agreementTokenParams },
    response: { data: agreementVerificationResponse },
    handler: async ({ platform, params }) => {
      const { record, now } = await requireAgreement(platform, params.token);
      return ok(presentAgreement(record, now));
    },
  }),
  defineRoute({
    name: 'getConfirmedAgreement',
    method: 'GET',
    path: '/contracts/verify/:token/pdf',
    access: access.public,
    tag,
    summary: 'Get the signed scan of an agreement in force',
    description: 'Only while the agreement is confirmed, else 404. Each request checks this, also for a part of the file.',
    request: { params: agreementTokenParams, query: downloadQuery },
    response: { content: ['application/pdf'], otherStatuses: fileStatuses },
    errors: ['range_not_satisfiable'],
    handler: async ({ platform, params, query, header }) => {
      const { contract } = (await requireAgreement(platform, params.token)).record;
      const { number, scanStorageKey: key, scanSha256: sha256, scanSize: size } = contract;
      if (!isInForce(contract) || key === null || sha256 === null || size === null) throw new DomainError('not_found');
      const { storage } = platform;
      return sendFile({
        storage,
        key,
        size,
        sha256,
        mime: 'application/pdf',
        name: `${number}.pdf`,
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
    summary: 'Check whether a file is a document of an agreement',
    description:
      'Hashes the file while it is received and compares the hash with those of the generated PDF and the latest signed scan. Stores nothing.',
    bodyKind: 'digest',
    request: { body: verifyFileFields, example: { token: 'Vb3kQ9xYt7LmZp2RwN5cAg' } },
    response: { data: fileComparisonResponse },
    errors: ['not_found'],
    handler: async ({ platform, body: { token }, digest }) => {
      if (!digest) throw fieldProblem('body.file', 'required', 'is required');
      const { record } = await requireAgreement(platform, token);
      if (digest.size === 0) throw fieldProblem('body.file', 'file_empty', 'is empty');
      return ok(presentComparison(record, digest.sha256));
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
    summary: 'Show the page behind the QR of an agreement',
    // Scanners and messengers may append parameters to the address; they are ignored.
    request: { params: agreementTokenParams, query: z.looseObject({}) },
    response: { content: ['text/html'] },
    handler: async ({ platform, params: { token }, query, header }) => {
      const language = chooseLanguage(query['lang'], header('accept-language'));
      const found = await findAgreement(platform, token);
      if (!found) return pageFor(renderUnknownAgreement(language, ''), 404);
      return pageFor(renderAgreement(pageOf(platform, token, found), language));
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
    summary: 'Check a file with the form of that page',
    request: { params: agreementTokenParams, query: z.looseObject({}), body: z.looseObject({}) },
    response: { content: ['text/html'] },
    handler: async ({ platform, params: { token }, query, header, digest }) => {
      const language = chooseLanguage(query['lang'], header('accept-language'));
      const found = await findAgreement(platform, token);
      if (!found) return pageFor(renderUnknownAgreement(language, null), 404);
      const page = pageOf(platform, token, found);
      // A browser sends an empty file for a form without a chosen one.
      if (!digest || digest.size === 0) return pageFor(renderMissingFile(page, language), 422);
      return pageFor(renderComparison(page, presentComparison(found.record, digest.sha256), language));
    },
  }),
];

interface FoundAgreement {
  record: ContractRecord;
  now: Date;
}

/** Finds the agreement of a token; null for an unknown one. */
function findAgreement(platform: Platform, token: string): Promise<FoundAgreement | null> {
  return runQuery(platform, async (db, now) => {
    const record = await findContractByToken(db, token);
    return record && { record, now };
  });
}

/** @throws {DomainError} not_found */
async function requireAgreement(platform: Platform, token: string): Promise<FoundAgreement> {
  const found = await findAgreement(platform, token);
  if (!found) throw new DomainError('not_found');
  return found;
}

function pageOf(platform: Platform, token: string, { record, now }: FoundAgreement): AgreementPage {
  const encoded = encodeURIComponent(token);
  const scanUrl = `${baseUrl(platform.config)}${apiPrefix}/contracts/verify/${encoded}/pdf`;
  const hasScan = isInForce(record.contract) && record.contract.scanSha256 !== null;
  return { facts: presentAgreement(record, now), path: `/a/${encoded}`, scanUrl: hasScan ? scanUrl : null };
}
