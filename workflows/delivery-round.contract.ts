/**
 * Deliveries of many accounts that an outbox relay found together; workflow id `delivery-round/{random}`. An account gets its own process
 * (`delivery/{user id}`) only when something is left.
 */
export interface DeliveryRoundInput {
  /** Of the accounts. */
  ids: number[];
}
