import { join } from 'node:path';
import { formatDateTime } from '../../../platform/time/date-time.ts';
import type { Variables } from '../../../registry/config.ts';
import type { Progress } from '../../embedded/progress.ts';
import { planDesk } from '../calendar.ts';
import { DemoFailure } from '../client.ts';
import { signInAdministrator } from '../people.ts';
import { moveClock, readClock, sweep } from '../sandbox.ts';
import type { DemoSurroundings } from '../surroundings.ts';
import { type DeskAthlete, fileAthlete, stories, type World } from './athletes.ts';
import { addAgreement, addPublishedEvent, addReviewedEvent, addRunningEvent, type DeskEvent, publishResults } from './events.ts';
import * as office from './office.ts';

const concurrency = 8;

/**
 * Fills an empty registry through its API: at each arrival people come, and the office and the organizers act. Between arrivals the clock moves,
 * so that some records have waited for weeks.
 */
export async function fillFederation(
  surroundings: DemoSurroundings,
  { progress, config }: { progress: Progress; config: Variables },
): Promise<void> {
  const { baseUrl } = surroundings;
  const clock = await readClock(baseUrl);
  if (clock === null) throw new DemoFailure('the clock cannot be moved');
  const { arrivals, ...days } = planDesk(clock.now);
  const administrator = await signInAdministrator(surroundings);
  const people = Object.entries(stories).flatMap(([name, story]) =>
    Array.from({ length: story.people }, (_, turn) => ({ name, turn, arrival: story.arrivals[turn % story.arrivals.length] as number })),
  );
  const athletes: DeskAthlete[] = [];
  let event: DeskEvent | undefined;
  let letLateMoneyCome = async () => {};
  const further = [
    async () => {},
    async (world: World) => {
      event = await addRunningEvent(world, athletes);
      await office.askQuestion(world, athletes, 0);
      letLateMoneyCome = await office.openLateInvoice(athletes);
    },
    async (world: World) => {
      if (event) await publishResults(event, athletes, world.now);
      await letLateMoneyCome();
      await addPublishedEvent(world, athletes);
      await office.correctLedger(world, athletes);
      await office.writeLetter(world, 0);
    },
    async (world: World) => {
      await addReviewedEvent(world);
      await addAgreement(world);
      await office.askQuestion(world, athletes, 1);
      await office.loseFiles(world, athletes, join(config.DATA_DIR, 'files'));
    },
    async (world: World) => {
      for (const turn of [2, 3]) await office.askQuestion(world, athletes, turn);
      await office.writeLetter(world, 1);
      await office.openInvoices(athletes);
      await office.endWorkflows(config, athletes);
    },
  ];
  for (const [position, now] of arrivals.entries()) {
    await moveClock(baseUrl, now);
    await sweep(baseUrl);
    const world: World = { surroundings, administrator, days, now };
    const coming = [...people.entries()].filter(([, { arrival }]) => arrival === position);
    athletes.push(...(await inParallel(coming, ([index, { name, turn }]) => fileAthlete(world, name, index, turn))));
    await further[position]?.(world);
    progress.say(`${formatDateTime(now)}: ${athletes.length} people`);
  }
}

/** Runs a task for each item, a few at once. */
async function inParallel<Item, Result>(items: readonly Item[], task: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  const rest = items.entries();
  const work = async () => {
    for (const [position, item] of rest) results[position] = await task(item);
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return results;
}
