/**
 * What a relay of the outbox finds to go out to many accounts at about the same time; workflow id `delivery-round/{random}`. An account has a process of its
 * own (`delivery/{user id}`) only where something is left.
 */
export interface DeliveryRoundInput {
  /** Of the accounts. */
  ids: number[];
}
