import { totpCode } from '../../../support/identities/totp.ts';
import type { Account } from './account-records.ts';
import { type Judgement, refuse } from '../judgement.ts';

/** The second factor of an account (ACC-27 to ACC-29). */
export interface SecondFactor {
  /** In base32; null until its first code. */
  secret: string | null;
  /** The newest secret without a first code; null without one. */
  pending: string | null;
  /** The latest step whose code was used. */
  lastStep: number;
  /** Those that are left, in their bare form. */
  recoveryCodes: Set<string>;
  /** Steps and recovery codes of requests that were refused for something else: whether they are used up, the rules leave open. */
  doubtful: Set<number | string>;
  /** What was used up, oldest first. */
  used: string[];
}

const stepMs = 30_000;
/** A request may take so long until its code is checked. */
const marginMs = 12_000;
const mostTries = 10;

const stepNow = () => Math.floor(Date.now() / stepMs);
const leftOfStepMs = () => stepMs - (Date.now() % stepMs);

/** Case, spaces and hyphens of a recovery code do not count. */
export const bare = (recoveryCode: string) => recoveryCode.toUpperCase().replaceAll(/[\s-]/g, '');

/** The second factors of all accounts. Codes follow the machine's clock, as the telephones of people do. */
export class SecondFactors {
  readonly #factors = new Map<number, SecondFactor>();
  /** How many codes were refused since the last right one, by account. */
  readonly #tries = new Map<number, number>();

  of(accountId: number): SecondFactor | undefined {
    return this.#factors.get(accountId);
  }

  isInForce(accountId: number): boolean {
    return (this.#factors.get(accountId)?.secret ?? null) !== null;
  }

  /** A newer secret replaces the one that waits; the one in force stays (ACC-27). */
  request(accountId: number, secret: string): void {
    const factor = this.#factors.get(accountId);
    if (factor) factor.pending = secret;
    else
      this.#factors.set(accountId, { secret: null, pending: secret, lastStep: 0, recoveryCodes: new Set(), doubtful: new Set(), used: [] });
  }

  /** The first code puts the waiting secret into force, with new recovery codes (ACC-27, ACC-29). */
  confirm(accountId: number, code: string, recoveryCodes: readonly string[]): void {
    const factor = this.#factors.get(accountId);
    if (!factor || factor.pending === null) return;
    factor.secret = factor.pending;
    factor.pending = null;
    factor.lastStep = stepOf(factor.secret, code) ?? stepNow();
    factor.recoveryCodes = new Set(recoveryCodes.map(bare));
    factor.doubtful.clear();
    factor.used = [code];
    this.#tries.delete(accountId);
  }

  remove(accountId: number): void {
    this.#factors.delete(accountId);
  }

  /** Uses up a code or recovery code that was accepted. @returns whether it was a recovery code */
  use(accountId: number, proof: string): boolean {
    const factor = this.#factors.get(accountId);
    this.#tries.delete(accountId);
    if (!factor || factor.secret === null) return false;
    factor.used.push(proof);
    if (!isCode(proof)) return factor.recoveryCodes.delete(bare(proof));
    factor.lastStep = stepOf(factor.secret, proof) ?? factor.lastStep;
    return false;
  }

  /** Notes that a right code may be used up. @returns whether it is a recovery code */
  doubt(accountId: number, proof: string): boolean {
    const factor = this.#factors.get(accountId);
    if (!factor || factor.secret === null) return false;
    const used = isCode(proof) ? stepOf(factor.secret, proof) : bare(proof);
    if (used !== null) factor.doubtful.add(used);
    return typeof used === 'string' && factor.recoveryCodes.has(used);
  }

  failed(accountId: number): void {
    this.#tries.set(accountId, this.triesOf(accountId) + 1);
  }

  triesOf(accountId: number): number {
    return this.#tries.get(accountId) ?? 0;
  }

  /** What the rules say of a code or recovery code beside a right password (ACC-28, ACC-29). */
  judge(accountId: number, proof: string): Judgement {
    const factor = this.#factors.get(accountId);
    if (this.triesOf(accountId) >= mostTries) return 'open';
    if (!factor || factor.secret === null) return refuse('invalid_state');
    if (isCode(proof)) return this.#judgeCode(factor.secret, proof, factor);
    if (factor.doubtful.has(bare(proof))) return 'open';
    return factor.recoveryCodes.has(bare(proof)) ? 'accept' : refuse('second_factor_failed');
  }

  /** What the rules say of the first code of a waiting secret (ACC-27, ACC-34). */
  judgeFirst({ id, isConfirmed }: Account, code: string): Judgement {
    if (this.triesOf(id) >= mostTries) return 'open';
    if (!isConfirmed) return refuse('email_not_confirmed');
    const secret = this.#factors.get(id)?.pending ?? null;
    return secret === null ? refuse('invalid_state') : this.#judgeCode(secret, code);
  }

  /** A code counts once and not after a later one; one step before and after is accepted (ACC-28). */
  #judgeCode(secret: string, code: string, used?: Pick<SecondFactor, 'lastStep' | 'doubtful'>): Judgement {
    const step = stepOf(secret, code);
    if (step === null || (used && step <= used.lastStep)) return refuse('second_factor_failed');
    if (used?.doubtful.has(step) === true) return 'open';
    const later = step - stepNow();
    const isEnding = leftOfStepMs() < marginMs;
    if (later === 0 || later === 1) return 'accept';
    if (later === -1) return isEnding ? 'open' : 'accept';
    return later === 2 && isEnding ? 'open' : refuse('second_factor_failed');
  }

  /** A code of the application that is still good, the earliest; null when all were used. */
  freshCode(accountId: number): string | null {
    const factor = this.#factors.get(accountId);
    if (!factor || factor.secret === null) return null;
    const step = goodSteps().find((one) => one > factor.lastStep && !factor.doubtful.has(one));
    return step === undefined ? null : codeAt(factor.secret, step);
  }

  /** The earliest code that puts the waiting secret into force, so that later ones are still good; null without one. */
  firstCode(accountId: number): string | null {
    const secret = this.#factors.get(accountId)?.pending ?? null;
    const [step] = goodSteps();
    return secret === null || step === undefined ? null : codeAt(secret, step);
  }

  /** A recovery code that was surely not used; null without one. */
  freshRecoveryCode(accountId: number): string | null {
    const factor = this.#factors.get(accountId);
    return factor?.recoveryCodes.values().find((code) => !factor.doubtful.has(code)) ?? null;
  }
}

const isCode = (proof: string) => /^\d{6}$/.test(proof);
/** Steps whose codes are accepted for long enough, the earliest first. */
function goodSteps(): number[] {
  const now = stepNow();
  return leftOfStepMs() > marginMs + stepMs / 6 ? [now - 1, now, now + 1] : [now, now + 1];
}

const codeAt = (secret: string, step: number) => totpCode(secret, step - stepNow());

/** The step near now whose code this is; null for a code of none. */
function stepOf(secret: string, code: string): number | null {
  const now = stepNow();
  return [now + 2, now + 1, now, now - 1, now - 2, now - 3].find((step) => codeAt(secret, step) === code) ?? null;
}
