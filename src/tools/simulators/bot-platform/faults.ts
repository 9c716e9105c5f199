import { z } from 'zod';

/** How calls of the bot are answered while something is wrong; `hang` says nothing for as long as the caller waits. */
export const outages = ['none', 'error', 'hang', 'refuse_connection'] as const;

/** Body of `POST /control`; what is left out stays as it is. */
export const controlSchema = z.strictObject({
  outage: z.enum(outages).optional(),
  /** So many calls are answered 429 with this `retry_after`. */
  too_many_requests: z.strictObject({ retry_after: z.int().min(1).max(3600), times: z.int().min(0).max(1_000_000) }).optional(),
  /** Each update is delivered so many times at once; all but the first are repeats. */
  deliver_times: z.int().min(1).max(20).optional(),
  /** While true no update is delivered; then all of them are, in their order. */
  hold_updates: z.boolean().optional(),
});
export type Control = z.output<typeof controlSchema>;

/** What is wrong with the platform now. */
export class Faults {
  outage: (typeof outages)[number] = 'none';
  deliverTimes = 1;
  isHolding = false;
  #tooMany = { retryAfter: 1, left: 0 };

  control(control: Control): void {
    this.outage = control.outage ?? this.outage;
    this.deliverTimes = control.deliver_times ?? this.deliverTimes;
    this.isHolding = control.hold_updates ?? this.isHolding;
    const tooMany = control.too_many_requests;
    if (tooMany) this.#tooMany = { retryAfter: tooMany.retry_after, left: tooMany.times };
  }

  /** Takes one refusal off the count. @returns seconds to wait; null when the call is to be answered */
  takeTooMany(): number | null {
    if (this.#tooMany.left === 0) return null;
    this.#tooMany.left -= 1;
    return this.#tooMany.retryAfter;
  }

  describe(): Record<string, unknown> {
    return {
      outage: this.outage,
      too_many_requests: { retry_after: this.#tooMany.retryAfter, times: this.#tooMany.left },
      deliver_times: this.deliverTimes,
      hold_updates: this.isHolding,
    };
  }
}
