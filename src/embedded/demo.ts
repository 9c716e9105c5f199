/**
 * `npm run demo`: walks the main job against the running registry through its HTTP API, as a person and as the administrator,
 * and says at each step what to open. May be run again and again: every run has a new person, and the sandbox clock, which
 * only moves forwards, goes on from where the run before left it.
 */
import { ConfigurationError } from '../config.ts';
import { formatDateTime } from '../platform/date-time.ts';
import { planCalendar, tellOffset } from './demo/calendar.ts';
import { DemoClient } from './demo/client.ts';
import { DemoFailure } from './demo/failures.ts';
import { showLapse } from './demo/lapse.ts';
import { walkMainJob } from './demo/main-job.ts';
import { Narrator } from './demo/narrator.ts';
import { readSurroundings, requireRegistry } from './demo/surroundings.ts';
import { EmbeddedError } from './errors.ts';

async function runDemo(): Promise<void> {
  const surroundings = readSurroundings();
  await requireRegistry(surroundings.baseUrl);
  const narrator = new Narrator((text) => void process.stdout.write(text));
  narrator.title(`The registry's main job, at ${surroundings.baseUrl}`);
  const clock = new DemoClient(surroundings.baseUrl);
  const isSandbox = (await clock.statusOf('/sandbox/clock')) === 200;
  const now = isSandbox ? await prepareClock(clock, narrator) : new Date();
  const calendar = planCalendar(now);
  const issued = await walkMainJob(surroundings, calendar, now, narrator);
  if (isSandbox) await showLapse(issued, calendar, narrator);
  else narrator.paragraph('Time cannot be moved here (SANDBOX is off), so the lapse of a document is not shown.');
  narrator.paragraph('That was the main job. Run it again whenever you like; every run has a new person.');
}

/** Reads the registry's clock, and moves it on where the story would not fit before the year ends. @returns the present instant */
async function prepareClock(clock: DemoClient, narrator: Narrator): Promise<Date> {
  const { now: text, offset_seconds: offsetSeconds } = await clock.get('/sandbox/clock');
  const now = new Date(String(text));
  const note = tellOffset(now, Number(offsetSeconds));
  if (note !== null) narrator.paragraph(note);
  const { startAt } = planCalendar(now);
  if (startAt === null) return now;
  narrator.paragraph(
    `The year ends before a document could lapse in it, so the clock moves on to ${formatDateTime(startAt)}; every application of the old year closes.`,
  );
  await clock.put('/sandbox/clock', { now: formatDateTime(startAt) });
  await clock.post('/sandbox/sweep');
  return startAt;
}

try {
  await runDemo();
} catch (error) {
  const isExpected = error instanceof DemoFailure || error instanceof EmbeddedError || error instanceof ConfigurationError;
  process.stderr.write(`\nThe demo stopped: ${isExpected ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
}
