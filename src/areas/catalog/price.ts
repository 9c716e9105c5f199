import { fieldProblem } from '../../errors.ts';
import { withoutTrailing } from '../../platform/text.ts';

/** Where the insurance holds (service.md "Application" `data.insurance_territory`). */
export type InsuranceTerritory = 'KZ' | 'CIS';

/** One line of a price's make-up, in tiyn; the lines sum to the amount exactly. */
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
  /** Coefficient of the CIS surcharge; null where the territory is not sold. */
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
 * The price of a service: coefficient times MRP, for CIS with its surcharge (service.md "National certificate price").
 * Exact arithmetic; rounded half up to a whole tiyn once, at the end (decisions.md §4), so a surcharge's line is what it
 * adds to the rounded tariff.
 * @throws {DomainError} validation_failed, for CIS where the service does not sell it
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

/** Size of the insurance coverage in tiyn, null for a service that insures nobody. */
export function insuranceCoverage(insuranceCoverageMrp: number | null, mrpMinor: number): number | null {
  return insuranceCoverageMrp === null ? null : insuranceCoverageMrp * mrpMinor;
}

/** In ten-thousandths. */
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

/** `3.5000` as people write it: `3.5`. */
function plain(coefficient: string): string {
  return coefficient.includes('.') ? withoutTrailing(withoutTrailing(coefficient, '0'), '.') : coefficient;
}
