import { z } from 'zod';
import {
  dateTimeResponse,
  dayResponse,
  id,
  idParam,
  localizedText,
  note,
  optionalYear,
  paging,
  printableText,
  processResponse,
  sha256Response,
  tiyn,
  versionResponse,
} from '../../http/schemas.ts';
import { formatDateTime, formatVersion } from '../../platform/time/date-time.ts';
import { discipline, serviceCategory, serviceKind, type ServiceKind } from '../catalog/index.ts';
import { usualValidity } from './approve-application.ts';
import type { StoredPrice } from './command-parts.ts';
import type { Application } from './entities.ts';
import { assessReadiness, factsOf, isReady, type ReadinessRule, waitingForFirst } from './readiness/readiness.ts';
import type { ApplicationRecord } from './record.ts';
import { applicationStatuses, isPaid, nextStatus } from './states.ts';

const territory = z.enum(['KZ', 'CIS']).describe('Territory of the insurance. `CIS` only if the service has a price for it');
const disciplineId = id.describe('Required if the service lists disciplines, otherwise refused');
const documentIds = z
  .array(id)
  .max(50)
  .refine((ids) => new Set(ids).size === ids.length, 'must not name a document twice')
  .describe('Documents of the same profile');
const applicationYear = z
  .int()
  .min(1000)
  .max(9999)
  .optional()
  .describe(
    'The current year by default. From 1 November on also the next year, once its base index is set (else 409 `base_index_missing`). Not for a service of kind `document`',
  );
/** Status of an application in an answer. */
export const applicationStatus = z
  .enum(applicationStatuses)
  .describe(
    '`draft`: not submitted; `submitted`: in review; `changes`: returned to the owner; `approved`: the certificate is issued; `cancelled`: ended by the owner or an administrator; `closed`: its year is over, or the event of the fee',
  );
const revision = z.int().min(1).max(2_147_483_647);

export const quoteBody = z
  .strictObject({
    service_id: id,
    year: applicationYear,
    data: z.strictObject({ insurance_territory: territory.default('KZ') }).prefault({}),
  })
  .meta({ id: 'QuoteRequest' });

export const createBody = z
  .strictObject({
    profile_id: id,
    service_id: id,
    year: applicationYear,
    document_ids: documentIds.default([]),
    data: z
      .strictObject({
        team: printableText(200).optional(),
        sport: printableText(200).optional(),
        insurance_territory: territory.default('KZ'),
        discipline_id: disciplineId.optional(),
      })
      .prefault({}),
  })
  .meta({ id: 'NewApplication' });

export const updateBody = z
  .strictObject({
    document_ids: documentIds.optional(),
    data: z
      .strictObject({
        team: printableText(200).nullable().optional(),
        sport: printableText(200).nullable().optional(),
        insurance_territory: territory.optional(),
        discipline_id: disciplineId.optional(),
      })
      .optional()
      .describe('Omitted fields keep their value; null clears `team` or `sport`'),
    revision: revision.optional().describe('The revision that the client has read. A stale one answers 409 `stale_revision`'),
  })
  .refine((body) => body.document_ids !== undefined || body.data !== undefined, 'give document_ids or data')
  .meta({ id: 'ApplicationChanges' });

export const cancelBody = z.strictObject({ reason: note }).meta({ id: 'Cancellation' });
const sharingEnabled = z.boolean().describe('Whether readers of the QR may see the documents of an international licence');
export const sharingBody = z
  .strictObject({
    enabled: sharingEnabled,
    confirmed: z.boolean().optional().describe("Must be true to enable: the owner's explicit consent"),
  })
  .meta({ id: 'SharingConsent' });

export const listQuery = z.strictObject({
  ...paging,
  status: applicationStatus.optional(),
  profile_id: idParam.optional(),
  year: optionalYear,
});

const breakdown = z
  .array(
    z.object({
      code: z.enum(['tariff', 'cis_surcharge']),
      coefficient: z.string().describe('Multiples of the MRP, a decimal string'),
      mrp_minor: tiyn,
      amount_minor: tiyn,
    }),
  )
  .describe('Lines of the price; they sum to the amount');

const paymentSchema = {
  purpose: z.enum(['insurance', 'service']).describe('`insurance` for a national certificate, `service` for every other service'),
  insurance_required: z.boolean().describe('Whether the price is an insurance premium'),
  label: z.string().describe('Purpose in words, for people'),
};
const coverage = tiyn.nullable().describe('Insurance coverage, not the premium');

export const quoteResponse = z
  .object({
    amount_minor: tiyn,
    insurance_coverage_minor: coverage,
    currency: z.literal('KZT'),
    breakdown,
    payment: z.object(paymentSchema),
  })
  .meta({ id: 'Quote' });

const waitingFor = z
  .enum(['owner', 'administrator', 'bank'])
  .nullable()
  .describe('The party that must act next; null when no action helps');

export const readinessRule = z
  .object({
    rule: z
      .string()
      .describe(
        '`submitted`, `profile`, `photo`, the code of a required document, `document:{id}` for another attached document, `files`, `payment`, `dates`. `submitted` fails again after a replacement of documents, until the application is resubmitted',
      ),
    ok: z.boolean().describe('Whether the rule is met'),
    waiting_for: waitingFor,
    fix: z
      .object({
        method: z.enum(['POST', 'PATCH']).describe('HTTP method'),
        path: z.string().meta({ description: 'Relative to /api/v1', examples: ['/applications/12/pay'] }),
      })
      .nullable()
      .describe(
        'A request that `waiting_for` can send now and that moves the rule. Null while another step must come first, and where no action helps',
      ),
  })
  .meta({ id: 'ReadinessRule' });
export const readinessResponse = z.array(readinessRule);

export const applicationResponse = z
  .object({
    id,
    profile_id: id,
    service_id: id,
    service: z.object({ id, code: z.string(), kind: serviceKind, title: localizedText, category: serviceCategory }),
    discipline: discipline.nullable(),
    document_ids: z.array(id),
    data: z.object({
      team: z.string().optional(),
      sport: z.string().optional(),
      insurance_territory: territory,
      discipline_id: id.optional(),
    }),
    year: z.int(),
    amount_minor: tiyn.describe('Price in tiyn, set by the server'),
    insurance_coverage_minor: coverage,
    currency: z.literal('KZT'),
    breakdown,
    payment: z.object({
      ...paymentSchema,
      paid: z.boolean().describe('Paid and not refunded'),
      paid_at: dateTimeResponse.nullable(),
      transaction_id: id.nullable(),
      refund_transaction_id: id.nullable().describe('The transaction that returned the payment to the wallet'),
      refunded_minor: tiyn.describe('Amount returned to the wallet, tiyn. 0 also for a paid application whose certificate was issued'),
    }),
    paid: z.boolean().describe('Paid and not refunded'),
    paid_at: dateTimeResponse.nullable(),
    status: applicationStatus,
    number: z.string().nullable().describe('Number of the certificate, from approval on'),
    valid_from: dayResponse.nullable(),
    valid_until: dayResponse.nullable(),
    verification_token: z.string().nullable().describe('For GET /verify/{token}; from approval on'),
    verification_url: z.string().nullable().describe('Content of the QR, from approval on'),
    certificate: z
      .object({ sha256: sha256Response, size: z.int().describe('Bytes'), made_at: dateTimeResponse })
      .nullable()
      .describe('The stored PDF; null until it is generated'),
    revision: z.int().describe('Grows with each change'),
    review_note: z.string().nullable().describe('Reason of the last decision or return'),
    sharing: z.object({ enabled: sharingEnabled, confirmed_at: dateTimeResponse.nullable() }).describe("The owner's consent"),
    documents_access: z.boolean().describe('Whether readers of the QR of this international licence may see its documents'),
    readiness: z
      .object({ ready: z.boolean().describe('Whether all rules are met'), waiting_for: waitingFor })
      .describe('`GET /applications/{id}/readiness` lists the rules'),
    submitted_at: dateTimeResponse.nullable(),
    approved_at: dateTimeResponse.nullable(),
    cancelled_at: dateTimeResponse.nullable(),
    closed_at: dateTimeResponse.nullable(),
    created_at: dateTimeResponse,
    updated_at: versionResponse,
    process: processResponse.optional().describe('State of the process; for administrators only'),
  })
  .meta({ id: 'Application' });

/** Builds the response for an application. @param siteUrl public address for the verification link */
export function presentApplication(record: ApplicationRecord, now: Date, siteUrl: string): z.input<typeof applicationResponse> {
  const { application, service, discipline, certificate } = record;
  const rules = assessReadiness(factsOf(record, now));
  const payment = presentPayment(application);
  return {
    id: application.id,
    profile_id: application.profileId,
    service_id: application.serviceId,
    service: { id: service.id, code: service.code, kind: service.kind, title: service.title, category: service.category },
    discipline,
    document_ids: record.documents.map((document) => document.id),
    data: application.data,
    year: application.year,
    amount_minor: application.amountMinor,
    insurance_coverage_minor: application.insuranceCoverageMinor,
    currency: 'KZT',
    breakdown: application.breakdown,
    payment,
    paid: payment.paid,
    paid_at: payment.paid_at,
    status: application.status,
    number: certificate?.number ?? null,
    valid_from: certificate?.validFrom ?? null,
    valid_until: certificate?.validUntil ?? null,
    verification_token: certificate?.token ?? null,
    verification_url: certificate && verificationUrl(siteUrl, certificate.token),
    certificate: certificate?.pdf
      ? { sha256: certificate.pdf.sha256, size: certificate.pdf.size, made_at: formatDateTime(certificate.pdf.madeAt) }
      : null,
    revision: application.revision,
    review_note: application.reviewNote,
    sharing: { enabled: application.sharingEnabled, confirmed_at: at(application.sharingConfirmedAt) },
    documents_access: application.kind === 'international_licence' && application.status === 'approved' && application.sharingEnabled,
    readiness: {
      ready: isReady(rules),
      waiting_for: waitingForFirst(rules) ?? (awaitsDecision(application, rules) ? 'administrator' : null),
    },
    submitted_at: at(application.submittedAt),
    approved_at: at(application.approvedAt),
    cancelled_at: at(application.cancelledAt),
    closed_at: at(application.closedAt),
    created_at: formatDateTime(application.createdAt),
    updated_at: formatVersion(application.updatedAt),
  };
}

export function presentQuote(kind: ServiceKind, price: StoredPrice): z.input<typeof quoteResponse> {
  return {
    amount_minor: price.amountMinor,
    insurance_coverage_minor: price.insuranceCoverageMinor,
    currency: 'KZT',
    breakdown: price.breakdown,
    payment: paymentTerms(kind),
  };
}

/** Returns the link to the verification page of a certificate. */
export function verificationUrl(siteUrl: string, token: string): string {
  return `${siteUrl}/v/${token}`;
}

/** Returns the link that the QR of a certificate contains: with the credential, if there is one (VER-10). */
export function credentialUrl(siteUrl: string, token: string, credential: string | null): string {
  return `${verificationUrl(siteUrl, token)}${credential === null ? '' : `#${credential}`}`;
}

export const credentialResponse = z
  .object({
    credential: z.string().describe('Base64url of a CWT in a tagged COSE_Sign1'),
    url: z.string().describe('The link in the QR, with the credential as its fragment'),
    expires_at: dateTimeResponse,
  })
  .meta({ id: 'Credential' });

/** Whether the application is ready and only an administrator's decision is missing (APP-4). */
function awaitsDecision({ kind, status }: Readonly<Application>, rules: ReadinessRule[]): boolean {
  return kind !== 'national_certificate' && status === 'submitted' && isReady(rules);
}

function presentPayment(application: Readonly<Application>) {
  const isInHand = isPaid(application);
  return {
    ...paymentTerms(application.kind),
    paid: isInHand,
    paid_at: isInHand ? at(application.paidAt) : null,
    transaction_id: application.paymentTransactionId,
    refund_transaction_id: application.refundTransactionId,
    refunded_minor: application.refundTransactionId === null ? 0 : application.amountMinor,
  };
}

/** The price of a national certificate is its insurance premium. */
function paymentTerms(kind: ServiceKind) {
  const isInsurance = kind === 'national_certificate';
  return {
    purpose: isInsurance ? ('insurance' as const) : ('service' as const),
    insurance_required: isInsurance,
    label: isInsurance ? 'Insurance premium' : 'Service fee',
  };
}

function at(instant: Date | null): string | null {
  return instant && formatDateTime(instant);
}

/**
 * Builds the part of an administrator's record that supports the decision on an application, from the same rules as
 * `GET /applications/{id}/readiness` (APP-4). `valid_from` and `valid_until` are the default days of the certificate (APP-8).
 */
export function reviewOf(record: ApplicationRecord, now: Date) {
  const { application } = record;
  const conditions = assessReadiness(factsOf(record, now));
  const canApprove = application.status === 'submitted' && isReady(conditions);
  const validity = record.certificate ?? usualValidity(application, now);
  return {
    conditions,
    can_approve: canApprove,
    available_actions: [
      ...(canApprove ? ['approve' as const] : []),
      ...(nextStatus(application, 'return') === null ? [] : ['changes' as const]),
      ...(nextStatus(application, 'annul') === null ? [] : ['cancel' as const]),
    ],
    revision: application.revision,
    valid_from: validity.validFrom,
    valid_until: validity.validUntil,
  };
}
