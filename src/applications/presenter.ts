import type { z } from 'zod';
import type { ServiceKind } from '../catalog/index.ts';
import { formatDateTime, formatVersion } from '../platform/date-time.ts';
import { assessReadiness, isReady, waitingForFirst } from './readiness.ts';
import type { ReadinessRule } from './readiness.ts';
import { factsOf } from './record.ts';
import type { ApplicationRecord } from './record.ts';
import type { applicationResponse, quoteResponse } from './schemas.ts';
import type { StoredPrice } from './application-content.ts';
import type { Application } from './entities.ts';

/** An application on the wire. @param siteUrl the public address, for the verification link */
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

/** What the QR of a certificate holds (decisions.md §4). */
export function verificationUrl(siteUrl: string, token: string): string {
  return `${siteUrl}/v/${token}`;
}

/** Whether every condition holds and only an administrator's decision is left; national certificates need none. */
function awaitsDecision({ kind, status }: Readonly<Application>, rules: ReadinessRule[]): boolean {
  return kind !== 'national_certificate' && status === 'submitted' && isReady(rules);
}

function presentPayment(application: Readonly<Application>) {
  const isPaid = application.paid && application.refundTransactionId === null;
  return {
    ...paymentTerms(application.kind),
    paid: isPaid,
    paid_at: isPaid ? at(application.paidAt) : null,
    transaction_id: application.paymentTransactionId,
    refund_transaction_id: application.refundTransactionId,
    refunded_minor: application.refundTransactionId === null ? 0 : application.amountMinor,
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
