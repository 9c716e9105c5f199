import { WindowCounts } from '../turns/window-counts.ts';

/** For whom a file is examined. */
export interface InspectionParty {
  /** Such as the id of an account. */
  owner: string | number;
  /** The client's network; null when it is not known. */
  network: string | null;
}

const windowMs = 10 * 60_000;
/** Accounts and networks that are known at a time; at about 300 bytes each. */
const maxKeys = 50_000;
/** All accounts of one network may use so many times as much as one of them. */
const networkFactor = 10;

/**
 * How much time of the inspector each account and each network has used in the last minutes, in milliseconds. It is kept in memory, since
 * each API process has inspectors of its own.
 */
export class InspectionUse {
  readonly #budgetMs: number;
  readonly #ofOwners = new WindowCounts(windowMs, maxKeys);
  readonly #ofNetworks = new WindowCounts(windowMs, maxKeys);

  /** @param budgetMs what one account may use in ten minutes */
  constructor(budgetMs: number) {
    this.#budgetMs = budgetMs;
  }

  /** The more it used, the later its turn: an account counts for itself, its network for a part. */
  rank({ owner, network }: InspectionParty): number {
    return this.#ofOwners.read(String(owner)).count + this.#ofNetworks.read(network ?? '').count / networkFactor;
  }

  charge({ owner, network }: InspectionParty, ms: number): void {
    const amount = Math.ceil(ms);
    this.#ofOwners.add(String(owner), amount);
    if (network !== null) this.#ofNetworks.add(network, amount);
  }

  /**
   * How long until it may have files examined again, in milliseconds; 0 when it may now. A network that has used up its budget still has a
   * part left for each account, so that neighbours cannot lock an account out.
   */
  waitOf({ owner, network }: InspectionParty): number {
    const ofOwner = this.#ofOwners.read(String(owner));
    if (ofOwner.count >= this.#budgetMs) return ofOwner.restMs;
    const ofNetwork = this.#ofNetworks.read(network ?? '');
    const isNetworkOver = ofNetwork.count >= this.#budgetMs * networkFactor;
    return isNetworkOver && ofOwner.count >= this.#budgetMs / networkFactor ? Math.min(ofNetwork.restMs, ofOwner.restMs) : 0;
  }
}
