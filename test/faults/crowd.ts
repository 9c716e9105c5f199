import type { InsertedPerson } from '../support/factories.ts';
import { type Story, storyOf } from './applicant.ts';
import type { FaultStack } from './fault-stack.ts';

const peopleAtOnce = 60;

/** People who are ready to apply, prepared in advance, each with their story. */
export class Crowd {
  private readonly faultStack: FaultStack;
  private readonly waiting: { person: InsertedPerson; story: Story }[] = [];
  private prepared = 0;
  private preparing: Promise<void> | null = null;

  constructor(faultStack: FaultStack) {
    this.faultStack = faultStack;
  }

  async next(): Promise<{ person: InsertedPerson; story: Story }> {
    for (;;) {
      const one = this.waiting.shift();
      if (one) return one;
      this.preparing ??= this.prepare().finally(() => {
        this.preparing = null;
      });
      await this.preparing;
    }
  }

  /** The database may be killed in the meantime, so this retries until it succeeds. */
  private async prepare(): Promise<void> {
    const first = this.prepared;
    this.prepared += peopleAtOnce;
    for (;;) {
      try {
        const people = await this.faultStack.people(peopleAtOnce, (index) => storyOf(first + index) === 'document reviewed last');
        this.waiting.push(...people.map((person, index) => ({ person, story: storyOf(first + index) })));
        return;
      } catch {
        await this.faultStack.stack.processes.postgres?.whenReady();
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  }
}
