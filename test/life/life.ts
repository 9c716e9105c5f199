import fc from 'fast-check';
import { createRandom } from '../support/random.ts';
import type { Exchange } from './auditor/exchange.ts';
import { Finding } from './auditor/finding.ts';
import type { Model } from './auditor/model.ts';
import { beginWithPapers } from './prologue.ts';
import type { Servers } from './registry.ts';
import { register } from './steps/athletes.ts';
import { steps } from './steps/index.ts';
import { stories } from './stories/index.ts';
import { deal } from './stories/story.ts';
import type { Step } from './steps/step.ts';
import { type Races, World } from './world.ts';

/** What the steps of a life ask before they are taken. */
interface Limit {
  isOver(): boolean;
}

/** A step with the seed of its choices, as fast-check runs and shrinks it. It keeps its step, of which it may learn when it is first taken. */
class Turn implements fc.AsyncCommand<Limit, World> {
  readonly #next: () => Step;
  readonly #seed: number;
  #chosen: Step | null = null;

  constructor(next: () => Step, seed: number) {
    this.#next = next;
    this.#seed = seed;
  }

  get #step(): Step {
    this.#chosen ??= this.#next();
    return this.#chosen;
  }

  check(limit: Limit): boolean {
    return !limit.isOver();
  }

  async run(_limit: Limit, world: World): Promise<void> {
    const step = this.#step;
    world.turns.push(this.toString());
    await step.take(world, createRandom(this.#seed));
    if (!step.isReading) await world.auditor.askAfterStep();
  }

  toString(): string {
    return `${this.#chosen?.name ?? 'a step'} (${this.#seed})`;
  }
}

const peopleAtFirst = 3;

/** Another seed makes another step, not a smaller one. */
const turnOf = (next: () => Step) => fc.noShrink(fc.nat(1_000_000)).map((seed) => new Turn(next, seed));

type Weigh = (step: Step) => number;
const asPeopleDo: Weigh = ({ weight }) => weight;
/** What people do seldom comes as often as the rest; what takes long stays rare. */
const evenly: Weigh = ({ weight, isReading }) => (isReading ? steps.length / 3 : Math.min(weight, 1));

/** The part of all steps that are stories. */
const partOfStories = 1 / 6;

/** Draws steps by weights, and between them every story in turn. */
function drawn(weightOf: Weigh, seed: number): fc.Arbitrary<Turn> {
  const single = steps.map((step) => ({ weight: Math.round(weightOf(step) * 10), arbitrary: turnOf(() => step) }));
  const dealt = deal(stories, seed, createRandom);
  const ofStories = Math.round((single.reduce((sum, { weight }) => sum + weight, 0) * partOfStories) / (1 - partOfStories));
  return fc.oneof(...single, { weight: ofStories, arbitrary: turnOf(() => dealt.next().value) });
}

export interface LifeOptions {
  seed: number;
  /** At most so many steps; a life has half of them on average. */
  steps: number;
  /** The number of the step after which it ends early. */
  until: number;
  /** Whether it takes no further step. */
  isOver(): boolean;
  /** For how long a failed life is made shorter. */
  shrinkMs: number;
  /** The recorded order of an earlier life's races. */
  races: Races;
}

/** A life that ended well, or what was found and the shortest life that shows it. */
export interface LivedLife {
  steps: number;
  /** What it reached, in numbers. */
  reached: string;
  failure: { finding: string; turns: string[]; exchanges: Exchange[]; races: Races; errors: string[] } | null;
}

/** Lives one life: equal seeds live equally. A failed one is lived again and again with fewer steps (`fc.commands`). */
export async function live(servers: Servers, { seed, steps: most, until, isOver, shrinkMs, races }: LifeOptions): Promise<LivedLife> {
  let failed: World | null = null;
  let errors: string[] = [];
  let [taken, reached] = [0, ''];
  let shrinkUntil = Number.POSITIVE_INFINITY;
  const limit = { isOver: () => failed === null && isOver() };
  const turns = drawn(seed % 2 === 0 ? evenly : asPeopleDo, seed);
  const property = fc.asyncProperty(fc.commands([turns], { maxCommands: most, size: 'max' }), async (commands) => {
    if (Date.now() > shrinkUntil) return;
    const world = await World.begin(servers, races);
    try {
      for (let person = 0; person < peopleAtFirst; person += 1) await register(world);
      await beginWithPapers(world, seed);
      await fc.asyncModelRun(() => ({ model: limit, real: world }), [...commands].slice(0, until));
      await world.auditor.askAtTheEnd();
    } catch (error) {
      failed = world;
      ({ errors } = world.registry);
      if (shrinkUntil === Number.POSITIVE_INFINITY) {
        [taken, reached] = [world.turns.length, describe(world.auditor.model)];
        shrinkUntil = Date.now() + shrinkMs;
      }
      throw error;
    } finally {
      if (failed === null) [taken, reached] = [world.turns.length, describe(world.auditor.model)];
      await world.end();
    }
  });
  const details = await fc.check(property, { seed, numRuns: 1 });
  if (!details.failed) return { steps: taken, reached, failure: null };
  const error: unknown = details.errorInstance;
  // Another error is a fault of the life, and proves nothing about the registry.
  const last = failed as World | null;
  if (!(error instanceof Finding))
    throw new Error(`life ${seed} could not take the step ${last?.turns.at(-1) ?? 'at its beginning'}`, { cause: error });
  return {
    steps: taken,
    reached,
    failure: {
      finding: error.message,
      turns: last?.turns ?? [],
      exchanges: last?.exchanges ?? [],
      races,
      errors,
    },
  };
}

/** Says what a life reached, so that one which reached nothing is seen. */
function describe({
  accounts,
  applications,
  contracts,
  events,
  registrations,
  participants,
  nationalFiles,
  mails,
  bot,
  services,
}: Model): string {
  const certificates = [...applications.values()].filter(({ certificate }) => certificate !== null);
  const licences = certificates.filter(({ serviceId }) => services.get(serviceId)?.kind === 'international_licence');
  const published = [...events.values()].filter(({ wasPublished }) => wasPublished);
  const confirmed = [...contracts.values()].filter(({ wasConfirmed }) => wasConfirmed);
  const counts = {
    accounts: accounts.size,
    applications: applications.size,
    certificates: certificates.length,
    events: events.size,
    'published events': published.length,
    agreements: contracts.size,
    'confirmed agreements': confirmed.length,
    registrations: registrations.size,
    'approved registrations': [...registrations.values()].filter(({ status }) => status === 'approved').length,
    participants: participants.size,
    'national exports': nationalFiles.size,
    'licences to share': licences.length,
    'links of the bot': bot.issued.length,
    'messages of the bot': bot.told.size,
    'mails of notifications': mails.sent.filter(({ notificationId }) => notificationId !== null).length,
  };
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
}
