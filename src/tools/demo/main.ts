/**
 * `npm run demo`: walks the main job against the running registry through its HTTP API, as a person and as the administrator, and says at
 * each step what to open; `npm run demo -- competition` walks the organizer's side, `-- administration` the federation's, `-- messages`
 * what people are told. May be run again and again: every run has new people, and the sandbox clock, which only moves forwards, goes on
 * from where the run before left it.
 */
import { ConfigurationError } from '../../config.ts';
import { formatDateTime } from '../../platform/date-time.ts';
import { EmbeddedError } from '../embedded/errors.ts';
import { walkAdministration } from './administration.ts';
import { planCalendar, planCompetition, planMessages, planOffice, tellOffset } from './calendar.ts';
import { DemoClient } from './client.ts';
import { walkCompetition } from './competition.ts';
import { showExpiry } from './expiry.ts';
import { DemoFailure } from './failures.ts';
import { walkMainJob } from './main-job.ts';
import { walkMessages } from './messages.ts';
import { Narrator } from './narrator.ts';
import { type DemoSurroundings, readSurroundings, requireRegistry } from './surroundings.ts';

/** What the walks share. */
interface Stage {
  surroundings: DemoSurroundings;
  narrator: Narrator;
  /** Reads and moves the sandbox clock. */
  clock: DemoClient;
  isSandbox: boolean;
}

const walks: Record<string, { title: string; walk(stage: Stage): Promise<void> }> = {
  certificate: { title: "The registry's main job", walk: walkCertificate },
  competition: { title: 'A competition, from its agreement to its results', walk: walkThroughCompetition },
  administration: { title: "A week of the federation's office", walk: walkThroughOffice },
  messages: { title: 'Messages: a chat, the live stream, the bot, a reminder', walk: walkThroughMessages },
};

async function runDemo([name = 'certificate']: readonly string[]): Promise<void> {
  const chosen = Object.hasOwn(walks, name) ? walks[name] : undefined;
  if (chosen === undefined) throw new DemoFailure(`there is no walk "${name}"; there are ${Object.keys(walks).join(', ')}`);
  const surroundings = readSurroundings();
  await requireRegistry(surroundings.baseUrl);
  const narrator = new Narrator((text) => void process.stdout.write(text));
  narrator.title(`${chosen.title}, at ${surroundings.baseUrl}`);
  const clock = new DemoClient(surroundings.baseUrl);
  await chosen.walk({ surroundings, narrator, clock, isSandbox: (await clock.statusOf('/sandbox/clock')) === 200 });
}

async function walkCertificate({ surroundings, narrator, clock, isSandbox }: Stage): Promise<void> {
  const whyMove = 'The year ends before a document could expire in it';
  const now = isSandbox ? await prepareClock(clock, narrator, (at) => planCalendar(at).startAt, whyMove) : new Date();
  const calendar = planCalendar(now);
  const issued = await walkMainJob(surroundings, calendar, now, narrator);
  if (isSandbox) await showExpiry(issued, calendar, narrator);
  else narrator.paragraph('Time cannot be moved here (SANDBOX is off), so the expiry of a document is not shown.');
  narrator.paragraph('That was the main job. Run it again whenever you like; every run has a new person.');
}

async function walkThroughCompetition({ surroundings, narrator, clock, isSandbox }: Stage): Promise<void> {
  if (!isSandbox) throw new DemoFailure('time cannot be moved here (SANDBOX is off), and a competition takes days');
  const now = await prepareClock(
    clock,
    narrator,
    (at) => planCompetition(at).startAt,
    'The year ends before the competition would be over',
  );
  await walkCompetition(surroundings, planCompetition(now), now, narrator);
  narrator.paragraph('That was a competition. Run it again whenever you like; every run has a new organizer.');
}

async function walkThroughOffice({ surroundings, narrator, clock, isSandbox }: Stage): Promise<void> {
  if (!isSandbox) throw new DemoFailure('time cannot be moved here (SANDBOX is off), and the story takes a week');
  const now = await prepareClock(clock, narrator, (at) => planOffice(at).startAt, 'The year ends before the week is over');
  await walkAdministration(surroundings, planOffice(now), now, narrator);
  narrator.paragraph('That was a week. Run it again whenever you like; every run has new people.');
}

async function walkThroughMessages({ surroundings, narrator, clock, isSandbox }: Stage): Promise<void> {
  if (!isSandbox) throw new DemoFailure('time cannot be moved here (SANDBOX is off), and the reminder comes in months');
  const now = await prepareClock(clock, narrator, (at) => planMessages(at).startAt, 'The year is too far gone for the reminder');
  await walkMessages(surroundings, planMessages(now), now, narrator);
  narrator.paragraph('Those were messages. Run it again whenever you like; every run has new people.');
}

/** Reads the registry's clock, and moves it on where the story would not fit before the year ends. @returns the present instant */
async function prepareClock(clock: DemoClient, narrator: Narrator, startOf: (now: Date) => Date | null, whyMove: string): Promise<Date> {
  const { now: text, offset_seconds: offsetSeconds } = await clock.get('/sandbox/clock');
  const now = new Date(String(text));
  const note = tellOffset(now, Number(offsetSeconds));
  if (note !== null) narrator.paragraph(note);
  const startAt = startOf(now);
  if (startAt === null) return now;
  narrator.paragraph(`${whyMove}, so the clock moves on to ${formatDateTime(startAt)}; every application of the old year closes.`);
  await clock.put('/sandbox/clock', { now: formatDateTime(startAt) });
  await clock.post('/sandbox/sweep');
  return startAt;
}

try {
  await runDemo(process.argv.slice(2));
} catch (error) {
  const isExpected = error instanceof DemoFailure || error instanceof EmbeddedError || error instanceof ConfigurationError;
  process.stderr.write(`\nThe demo stopped: ${isExpected ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
}
