import { WindowCounts } from '../turns/window-counts.ts';

/** The sender of a file. */
export interface InspectionParty {
  /** Such as the id of an account. */
  owner: string | number;
  /** The client's network; null when unknown. */
  network: string | null;
}

const windowMs = 10 * 60_000;
/** Maximum accounts and networks in memory, about 300 bytes each. */
const maxKeys = 50_000;
/** Budget of a network, relative to one account. */
const networkFactor = 10;

/**
 * Counts the inspection time of each account and network in ten minutes, milliseconds. In memory, because each API process has its own
 * inspectors.
 */
export class InspectionUse {
  readonly #budgetMs: number;
  readonly #ofOwners = new WindowCounts(windowMs, maxKeys);
  readonly #ofNetworks = new WindowCounts(windowMs, maxKeys);

  /** @param budgetMs milliseconds of one account in ten minutes */
  constructor(budgetMs: number) {
    this.#budgetMs = budgetMs;
  }

  /** Returns the rank in the queue: grows with the time that the account used, and with a share of its network's time. */
  rank({ owner, network }: InspectionParty): number {
    return this.#ofOwners.read(String(owner)).count + this.#ofNetworks.read(network ?? '').count / networkFactor;
  }

  charge({ owner, network }: InspectionParty, ms: number): void {
    const amount = Math.ceil(ms);
    this.#ofOwners.add(String(owner), amount);
    if (network !== null) this.#ofNetworks.add(network, amount);
  }

  /**
   * Returns the milliseconds until the next inspection is allowed; 0 for now. When a network has used its budget, each account still has a
   * share, so that others cannot lock it out.
   */
  waitOf({ owner, network }: InspectionParty): number {
    const ofOwner = this.#ofOwners.read(String(owner));
    if (ofOwner.count >= this.#budgetMs) return ofOwner.restMs;
    const ofNetwork = this.#ofNetworks.read(network ?? '');
    const isNetworkOver = ofNetwork.count >= this.#budgetMs * networkFactor;
    return isNetworkOver && ofOwner.count >= this.#budgetMs / networkFactor ? Math.min(ofNetwork.restMs, ofOwner.restMs) : 0;
  }
}
