import type { z } from 'zod';
import type { ServiceKind } from '../catalog/entities.ts';
import { formatDateTime } from '../platform/date-time.ts';
import { assessReadiness, isReady, waitingForFirst } from './readiness.ts';
import type { ReadinessRule } from './readiness.ts';
import { factsOf } from './record.ts';
import type { ApplicationRecord } from './record.ts';
import type { applicationShape, quoteShape } from './schemas.ts';
import type { StoredPrice } from './application-content.ts';

/** An application on the wire. @param siteUrl the public address, for the verification link */
export function presentApplication(record: ApplicationRecord, now: Date, siteUrl: string): z.input<typeof applicationShape> {
  const { service, certificate } = record;
  const rules = assessReadiness(factsOf(record, now));
  const payment = presentPayment(record);
  return {
    id: record.id,
    profile_id: record.profileId,
    service_id: record.serviceId,
    service: { id: service.id, code: service.code, kind: service.kind, title: service.title, category: service.category },
    discipline: record.discipline,
    document_ids: record.documents.map((document) => document.id),
    data: record.data,
    year: record.year,
    amount_minor: record.amountMinor,
    insurance_coverage_minor: record.insuranceCoverageMinor,
    currency: 'KZT',
    breakdown: record.breakdown,
    payment,
    paid: payment.paid,
    paid_at: payment.paid_at,
    status: record.status,
    number: certificate?.number ?? null,
    valid_from: certificate?.validFrom ?? null,
    valid_until: certificate?.validUntil ?? null,
    verification_token: certificate?.token ?? null,
    verification_url: certificate && verificationUrl(siteUrl, certificate.token),
    certificate: certificate?.pdf
      ? { sha256: certificate.pdf.sha256, size: certificate.pdf.size, made_at: formatDateTime(certificate.pdf.madeAt) }
      : null,
    revision: record.revision,
    review_note: record.reviewNote,
    sharing: { enabled: record.sharingEnabled, confirmed_at: at(record.sharingConfirmedAt) },
    documents_access: record.kind === 'international_licence' && record.status === 'approved' && record.sharingEnabled,
    readiness: { ready: isReady(rules), waiting_for: waitingForFirst(rules) ?? (awaitsDecision(record, rules) ? 'administrator' : null) },
    submitted_at: at(record.submittedAt),
    approved_at: at(record.approvedAt),
    cancelled_at: at(record.cancelledAt),
    closed_at: at(record.closedAt),
    created_at: formatDateTime(record.createdAt),
    updated_at: formatDateTime(record.updatedAt),
  };
}

export function presentQuote(kind: ServiceKind, price: StoredPrice): z.input<typeof quoteShape> {
  return {
    amount_minor: price.amountMinor,
    insurance_coverage_minor: price.insuranceCoverageMinor,
    currency: 'KZT',
    breakdown: price.breakdown,
    payment: paymentTerms(kind),
  };
}

/** What the QR of a certificate holds (decisions.md §4). */
export function verificationUrl(siteUrl: string, token: string): string {
  return `${siteUrl}/v/${token}`;
}

/** Whether every condition holds and only an administrator's decision is left; national certificates need none. */
function awaitsDecision(record: ApplicationRecord, rules: ReadinessRule[]): boolean {
  return record.kind !== 'national_certificate' && record.status === 'submitted' && isReady(rules);
}

function presentPayment(record: ApplicationRecord) {
  const isPaid = record.paid && record.refundTransactionId === null;
  return {
    ...paymentTerms(record.kind),
    paid: isPaid,
    paid_at: isPaid ? at(record.paidAt) : null,
    transaction_id: record.paymentTransactionId,
    refund_transaction_id: record.refundTransactionId,
  };
}

/** A national certificate costs its insurance premium and nothing else (service.md "National certificate price"). */
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
