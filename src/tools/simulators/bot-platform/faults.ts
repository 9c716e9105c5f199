import { z } from 'zod';

/** Answers to the bot's calls during an outage; `hang` never answers. */
export const outages = ['none', 'error', 'hang', 'refuse_connection'] as const;

/** Body of `POST /control`; omitted fields stay unchanged. */
export const controlSchema = z.strictObject({
  outage: z.enum(outages).optional(),
  /** The next `times` calls are answered 429 with this `retry_after`. */
  too_many_requests: z.strictObject({ retry_after: z.int().min(1).max(3600), times: z.int().min(0).max(1_000_000) }).optional(),
  /** Number of simultaneous deliveries of each update. */
  deliver_times: z.int().min(1).max(20).optional(),
  /** While true, no update is delivered; then all are, in order. */
  hold_updates: z.boolean().optional(),
});
export type Control = z.output<typeof controlSchema>;

/** The current faults of the platform. */
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

  /** Consumes one refusal. @returns seconds to wait; null for a normal answer */
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
