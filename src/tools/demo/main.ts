/**
 * `npm run demo`: performs the main job on the running registry through its HTTP API, as a person and as the administrator, and prints what
 * to open. `npm run demo -- competition` shows the organizer's part, `-- administration` the federation's, `-- messages` notifications,
 * `-- integration` a program with webhooks. Each run has new people and starts at the current sandbox clock. `-- desk` starts a registry of
 * its own and fills it.
 */
import { RegistryError } from '../../../client/src/index.ts';
import { ConfigurationError, loadStackEnvironment } from '../../registry/config.ts';
import { formatDateTime } from '../../platform/time/date-time.ts';
import { EmbeddedError } from '../embedded/errors.ts';
import { walkAdministration } from './administration.ts';
import { planCalendar, planCompetition, planMessages, planOffice, describeOffset } from './calendar.ts';
import { DemoFailure } from './client.ts';
import { walkCompetition } from './competition.ts';
import { showGate } from './gate.ts';
import { walkIntegration } from './integration.ts';
import { beginWith, showExpiry, walkMainJob } from './main-job.ts';
import { walkMessages } from './messages.ts';
import { Narrator } from './narrator.ts';
import { showProgram } from './program.ts';
import { type Clock, moveClock, readClock, sweep } from './sandbox.ts';
import { type DemoRun, readSurroundings, requireRegistry } from './surroundings.ts';

interface Walk {
  title: string;
  /** Plans its days; `startAt` is the instant to which the clock must move first, null for none. */
  plan(now: Date): { startAt: Date | null };
  /** Why it must move. */
  whyMove: string;
  run(run: Omit<DemoRun<unknown>, 'calendar'>, isSandbox: boolean): Promise<void>;
  ending: string;
}

const walks: Record<string, Walk> = {
  certificate: {
    title: "The registry's main job",
    plan: planCalendar,
    whyMove: 'No document can expire in the rest of this year',
    async run(run, isSandbox) {
      const calendar = planCalendar(run.now);
      const issued = await walkMainJob({ ...run, calendar }, await beginWith(run));
      if (isSandbox) await showExpiry(issued, calendar, run.narrator);
      else run.narrator.paragraph('SANDBOX is off, so the clock cannot move and the expiry of a document is not shown.');
      await showGate(issued.person, issued.applicationId, run.narrator);
      await showProgram(issued.person, issued.password, run.narrator);
    },
    ending: 'This was the main job. Each run has a new person.',
  },
  competition: {
    title: 'A competition, from its agreement to its results',
    plan: planCompetition,
    whyMove: 'The year ends before the competition',
    run: (run) => walkCompetition({ ...run, calendar: planCompetition(run.now) }),
    ending: 'This was a competition. Each run has a new organizer.',
  },
  administration: {
    title: "A week of the federation's office",
    plan: planOffice,
    whyMove: 'The year ends before the week',
    run: (run) => walkAdministration({ ...run, calendar: planOffice(run.now) }),
    ending: 'This was a week. Each run has new people.',
  },
  messages: {
    title: 'Messages: a chat, the live stream, the bot, a reminder',
    plan: planMessages,
    whyMove: 'The date of the reminder has passed this year',
    run: (run) => walkMessages({ ...run, calendar: planMessages(run.now) }),
    ending: 'These were messages. Each run has new people.',
  },
  integration: {
    title: 'A program that follows the registry: changes, a webhook, the request log',
    plan: planCalendar,
    whyMove: 'No document can expire in the rest of this year',
    run: (run) => walkIntegration({ ...run, calendar: planCalendar(run.now) }),
    ending: 'This was an integration. client/README.md has five recipes, /docs/build the page for programmers.',
  },
};

const titles = {
  ...Object.fromEntries(Object.entries(walks).map(([name, { title }]) => [name, title])),
  desk: 'A filled federation for the desk, in a registry of its own that runs until Ctrl-C',
};

async function runDemo([name = 'certificate']: readonly string[]): Promise<void> {
  if (name === '--help') {
    for (const [known, title] of Object.entries(titles)) process.stdout.write(`npm run demo -- ${known.padEnd(14)}  ${title}\n`);
    return;
  }
  if (name === 'desk') {
    // Only this part loads the embedded servers.
    const { openDesk } = await import('./desk/open-desk.ts');
    return openDesk();
  }
  const walk = Object.hasOwn(walks, name) ? walks[name] : undefined;
  if (walk === undefined) throw new DemoFailure(`unknown demo "${name}"; known: ${Object.keys(titles).join(', ')}`);
  loadStackEnvironment();
  const surroundings = readSurroundings();
  await requireRegistry(surroundings.baseUrl);
  const narrator = new Narrator((text) => void process.stdout.write(text));
  narrator.title(`${walk.title}, at ${surroundings.baseUrl}`);
  const clock = await readClock(surroundings.baseUrl);
  if (clock === null && name !== 'certificate') throw new DemoFailure('this demo moves the clock: start the registry with SANDBOX=true');
  const now = clock === null ? new Date() : await prepareClock(surroundings.baseUrl, clock, narrator, walk);
  await walk.run({ surroundings, now, narrator }, clock !== null);
  narrator.paragraph(walk.ending);
}

/** Moves the registry's clock to the start of the walk, if needed. @returns the registry's current instant */
async function prepareClock(baseUrl: string, { now, offsetSeconds }: Clock, narrator: Narrator, { plan, whyMove }: Walk): Promise<Date> {
  const note = describeOffset(now, offsetSeconds);
  if (note !== null) narrator.paragraph(note);
  const { startAt } = plan(now);
  if (startAt === null) return now;
  narrator.paragraph(`${whyMove}, so the clock moves to ${formatDateTime(startAt)}; all applications of the old year close.`);
  await moveClock(baseUrl, startAt);
  await sweep(baseUrl);
  return startAt;
}

/** One line for what may happen, a stack for a fault of the demo. */
function describeError(error: unknown): string {
  if (error instanceof RegistryError)
    return `${error.message} (${error.code} ${JSON.stringify(error.details)}, request ${error.requestId})`;
  const isExpected = [DemoFailure, EmbeddedError, ConfigurationError].some((kind) => error instanceof kind);
  return !(error instanceof Error) ? String(error) : isExpected ? error.message : String(error.stack);
}

try {
  await runDemo(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`\nThe demo stopped: ${describeError(error)}\n`);
  process.exitCode = 1;
}
