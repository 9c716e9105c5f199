import { fieldProblem } from '../../errors.ts';
import { withoutTrailing } from '../../platform/text.ts';

/** The territory of the insurance. */
export type InsuranceTerritory = 'KZ' | 'CIS';

/** A line of a price in tiyn; the lines sum to the amount exactly. */
export interface PriceLine {
  code: 'tariff' | 'cis_surcharge';
  coefficient: string;
  mrp_minor: number;
  amount_minor: number;
}

export interface PriceInput {
  /** The base calculation index of the year, tiyn. */
  mrpMinor: number;
  /** Coefficient of the service, a decimal string of at most four decimals. */
  mrp: string;
  /** Coefficient of the CIS surcharge; null when CIS is not sold. */
  cisMrp: string | null;
  territory: InsuranceTerritory;
}

export interface Price {
  amountMinor: number;
  breakdown: PriceLine[];
}

const decimals = 4;
const unit = 10n ** BigInt(decimals);

/**
 * Calculates the price of a service: coefficient times MRP (CAT-1), for CIS plus a surcharge (CAT-2).
 *
 * The sum is exact and rounded half up to a tiyn once. The surcharge's line is therefore the difference to the rounded tariff.
 * @throws {DomainError} validation_failed for CIS when the service does not sell it
 */
export function quotePrice({ mrpMinor, mrp, cisMrp, territory }: PriceInput): Price {
  const tariff = parseCoefficient(mrp) * BigInt(mrpMinor);
  const tariffLine: PriceLine = { code: 'tariff', coefficient: plain(mrp), mrp_minor: mrpMinor, amount_minor: roundHalfUp(tariff) };
  if (territory === 'KZ') return { amountMinor: tariffLine.amount_minor, breakdown: [tariffLine] };
  if (cisMrp === null) throw fieldProblem('body.data.insurance_territory', 'not_allowed', 'this service is not sold for the CIS territory');
  const amountMinor = roundHalfUp(tariff + parseCoefficient(cisMrp) * BigInt(mrpMinor));
  const surchargeLine: PriceLine = {
    code: 'cis_surcharge',
    coefficient: plain(cisMrp),
    mrp_minor: mrpMinor,
    amount_minor: amountMinor - tariffLine.amount_minor,
  };
  return { amountMinor, breakdown: [tariffLine, surchargeLine] };
}

/** Calculates the insurance coverage in tiyn; null for a service without insurance. */
export function insuranceCoverage(insuranceCoverageMrp: number | null, mrpMinor: number): number | null {
  return insuranceCoverageMrp === null ? null : insuranceCoverageMrp * mrpMinor;
}

/** Parses a coefficient into ten-thousandths. */
function parseCoefficient(text: string): bigint {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d{1,4}))?$/.exec(text) ?? [];
  if (whole === undefined) throw new RangeError(`not a coefficient: ${text}`);
  return BigInt(whole) * unit + BigInt(fraction.padEnd(decimals, '0'));
}

function roundHalfUp(tenThousandths: bigint): number {
  const rounded = Number((tenThousandths + unit / 2n) / unit);
  if (!Number.isSafeInteger(rounded)) throw new RangeError('the amount is too large');
  return rounded;
}

/** Removes trailing zeros: `3.5000` becomes `3.5`. */
function plain(coefficient: string): string {
  return coefficient.includes('.') ? withoutTrailing(withoutTrailing(coefficient, '0'), '.') : coefficient;
}
