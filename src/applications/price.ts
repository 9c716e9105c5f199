/** One line of a price's make-up; the lines sum to the amount before rounding. */
export interface PriceLine {
  code: 'tariff' | 'cis_surcharge';
  coefficient: string;
  mrp_minor: number;
  amount_minor: number;
}
