import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rename, rmdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { ManagedProcess } from '../../src/tools/embedded/managed-process.ts';
import { withPlatform } from '../bench/stack.ts';
import { scenarios } from '../replay/scenarios.ts';
import { type Answer, type RequestOptions, TestClient } from '../support/client.ts';
import { hostileInputs } from '../support/hostile/hostile-inputs.ts';
import { makeScan } from '../support/papers/scans.ts';
import type { Random } from '../support/random.ts';
import { CarefulClient, type Watch } from './careful-client.ts';
import type { FaultStack } from './fault-stack.ts';
import { runScenario } from './run-scenario.ts';
import { sharedStage } from './stories.ts';
import { listBlocked, listFailed } from './verdict.ts';

/**
 * `npm run test:soak [-- --minutes 60 --seed 7 --people 4]`: random people live every kind of process on a temporary stack, while its parts
 * are killed, the bank fails, the storage is away and a client sends hostile input. At the end every accepted command must be in effect
 * exactly once, each living record has its process, and the invariants of the record hold.
 */
const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '60' }, seed: { type: 'string' }, people: { type: 'string', default: '4' } },
});
const say = (line: string) => process.stdout.write(`${line}\n`);
const outageMs = 3_000;
/** Every request is answered so soon after the last kill: a PDF waits for a heartbeat and a pause (`bulk` in `workflows/activity-profiles.ts`). */
const patienceMs = 240_000;
/** Errors of `TestClient.expect` and of `PatientClient`. */
const wrongAnswer = /^expected \d+, got|was not answered within/;
/** Right while others live and workers are killed: the administrator's lists are of all stories at once, and an export may not be made yet. */
const rightUnderKills = /selection_changed|^expected 422, got 201: .*"status":"pending"/;
/** The fixtures of the stories publish events without an agreement. */
const brokenByFixtures = 'the agreement of a living event is approved exactly while its contract is confirmed';

let slowestAnswerMs = 0;

/** A person of the stories, who repeats a request without an answer with the same key. */
class PatientClient extends TestClient {
  private readonly watch: Watch;
  private readonly stack: FaultStack['stack'];
  private readonly isOver: () => boolean;

  /** @param isOver whether the kills have ended */
  constructor({ baseUrl, stack }: FaultStack, watch: Watch, isOver: () => boolean) {
    super(baseUrl);
    this.watch = watch;
    this.stack = stack;
    this.isOver = isOver;
  }

  override async request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const key = method === 'GET' || this.userId === 0 ? {} : { 'idempotency-key': crypto.randomUUID() };
    const repeated = { ...options, headers: { ...key, ...options.headers } };
    const sentAt = Date.now();
    let until = Infinity;
    for (;;) {
      const answer = await super.request(method, path, repeated).catch(() => null);
      this.watch.count(answer === null ? 'no answer' : String(answer.status));
      const mayPass = answer === null || answer.status === 503 || answer.body?.error?.code === 'request_in_progress';
      slowestAnswerMs = Math.max(slowestAnswerMs, Date.now() - sentAt);
      if (answer !== null && !mayPass) return answer;
      if (until === Infinity && this.isOver()) until = Date.now() + patienceMs;
      if (Date.now() > until) {
        const last = answer === null ? 'no answer' : `${answer.status} ${answer.bytes.toString()}`;
        const blocked = await listBlocked(this.stack).catch((error: Error) => [`Temporal: ${error.message}`]);
        throw new Error(
          `${method} ${path} was not answered within ${patienceMs / 1000} s after the last kill; at last ${last}; ${blocked.join('; ')}`,
        );
      }
      await pause(300);
    }
  }
}

/** One person after the other lives a random story. @returns lived stories, by process */
async function liveStories(faultStack: FaultStack, watch: Watch, random: Random, isOver: () => boolean): Promise<Map<string, number>> {
  const { stack } = faultStack;
  const lived = new Map<string, number>();
  const user = async (name = 'Unknown person') => {
    // A lost answer of a registration cannot be repeated; another person registers.
    for (let attempt = 0; ; attempt += 1) {
      const client = new PatientClient(faultStack, watch, isOver);
      try {
        await client.register(`soak-${crypto.randomUUID()}@example.kz`, name);
        return client;
      } catch (error) {
        if (attempt === 9) throw error;
      }
    }
  };
  const administrator = new PatientClient(faultStack, watch, isOver);
  await administrator.login(stack.administrator.email, stack.administrator.password);
  await withPlatform(stack, async (platform) => {
    const stage = sharedStage({ bankUrl: stack.bankUrl, administrator, platform, user });
    while (!isOver()) {
      const scenario = oneOf(random, scenarios);
      const name = `${scenario.workflowType}/${scenario.name}`;
      try {
        await scenario.play(stage);
        lived.set(scenario.workflowType, (lived.get(scenario.workflowType) ?? 0) + 1);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        // Other errors are of the story's own connection to a killed database.
        if (wrongAnswer.test(message) && !rightUnderKills.test(message)) watch.surprises.push(`${name}: ${message}`);
      }
    }
  });
  return lived;
}

/** The bank hangs for some seconds, then the storage is away for some. @returns number of faults */
async function breakSurroundings({ stack }: FaultStack, random: Random, isOver: () => boolean): Promise<number> {
  let faults = 0;
  const [files, stored, absent] = ['files', 'files-stored', 'files-absent'].map((name) => join(stack.dataDir, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(absent, '');
  await rename(files, stored);
  // Each change is one rename of a link. Otherwise a write between two steps would create the folder anew.
  const pointTo = async (target: string) => {
    const link = `${files}-${crypto.randomUUID()}`;
    await symlink(target, link);
    await rename(link, files);
  };
  await pointTo(stored).catch(async () => {
    // A process created the empty folder meanwhile.
    await rmdir(join(files, '.tmp')).catch(() => undefined);
    await rmdir(files);
    await pointTo(stored);
  });
  while (!isOver()) {
    await pause(random.between(2_000, 8_000));
    await stack.processes.bank?.kill('SIGSTOP');
    await pause(outageMs);
    await stack.processes.bank?.kill('SIGCONT');
    await pointTo(absent);
    await pause(outageMs);
    await pointTo(stored);
    faults += 2;
  }
  return faults;
}

/** Not of sweeps: a page that is killed five times fails, the next sweep takes its records, and the last one must succeed (`sweepAll`). */
const notSweeps = "WorkflowType != 'sweep'";

/** The last errors in the logs of API and worker. */
function readErrors({ stack }: FaultStack): string[] {
  return ['api', 'worker'].flatMap((name) =>
    readFileSync(join(stack.dataDir, 'logs', `${name}.log`), 'utf8')
      .split('\n')
      .filter((line) => line.includes('"level":50'))
      .slice(-10)
      .map((line) => line.slice(0, 1_000)),
  );
}

/** Sends hostile requests, one after the other. @returns the answers that no rule explains */
async function sendHostileInput(faultStack: FaultStack, watch: Watch, random: Random, isOver: () => boolean): Promise<number> {
  const { baseUrl, administratorKey } = faultStack;
  const [person] = await faultStack.people(1);
  if (!person) throw new Error('no person was made');
  const scan = await makeScan('hostile');
  const upload = await new CarefulClient(baseUrl, person.key, watch).send('POST', '/files', { file: scan, purpose: 'document' });
  const context = {
    person: `Bearer ${person.key}`,
    administrator: `Bearer ${administratorKey}`,
    fileId: String(upload.body.data.id),
    scan: scan.toString('base64'),
  };
  let sent = 0;
  while (!isOver()) {
    const [name, input] = oneOf(random, Object.entries(hostileInputs));
    const { method, path, headers, body, status } = input(context);
    // Those that are hostile by their pieces need a client of their own (`test/http/hostile.test.ts`).
    if (Array.isArray(body)) continue;
    const content = body === undefined ? {} : { body: new Uint8Array(body) };
    const answer = await fetch(`${baseUrl}${path}`, { method, headers, ...content, redirect: 'manual' }).catch(() => null);
    const text = (await answer?.text().catch(() => '')) ?? '';
    sent += 1;
    // A killed part answers 503 or nothing, and a flood of hostile requests is limited.
    const known = [status, 429, 503].flat();
    if (answer !== null && !known.includes(answer.status))
      watch.surprises.push(`hostile input "${name}" was answered ${answer.status} ${text.slice(0, 200)}`);
    await pause(200);
  }
  return sent;
}

function oneOf<T>(random: Random, choices: readonly T[]): T {
  const choice = choices[random.between(0, choices.length - 1)];
  if (choice === undefined) throw new RangeError('nothing to choose from');
  return choice;
}

/** Resident memory of each process of the stack, MB. Linux only. */
function readMemory({ stack }: FaultStack): Record<string, number> {
  const parts = Object.entries(stack.processes) as [string, ManagedProcess | undefined][];
  return Object.fromEntries(
    parts.flatMap(([name, part]) => {
      if (part?.pid === undefined) return [];
      const [, kilobytes = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${part.pid}/status`, 'utf8')) ?? [];
      return [[name, Math.round(Number(kilobytes) / 1024)]];
    }),
  );
}

const shown = (counts: Iterable<[string, number]>) => [...counts].map(([name, count]) => `${name} ${count}`).join(', ');

const figures: string[] = [];
const errors: string[] = [];
const {
  accepted,
  kills,
  outcomes,
  faults: found,
} = await runScenario({
  seed: values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed),
  killForMs: Number(values.minutes) * 60_000,
  concurrency: Number(values.people),
  log: say,
  async alongside({ faultStack, watch, random, isOver }) {
    const before = readMemory(faultStack);
    const [lived, broken, sent] = await Promise.all([
      Promise.all(Array.from({ length: Number(values.people) }, () => liveStories(faultStack, watch, random.fork(), isOver))),
      breakSurroundings(faultStack, random.fork(), isOver),
      sendHostileInput(faultStack, watch, random.fork(), isOver),
    ]);
    const stories = new Map<string, number>();
    for (const [type, count] of lived.flatMap((one) => [...one])) stories.set(type, (stories.get(type) ?? 0) + count);
    watch.surprises.push(...(await listFailed(faultStack.stack, notSweeps)));
    errors.push(...readErrors(faultStack));
    figures.push(
      `stories: ${shown(stories)}; slowest answer to one, repeats included: ${Math.round(slowestAnswerMs / 1000)} s`,
      `faults of bank and storage: ${broken}; hostile requests: ${sent}`,
      `memory in MB at the start: ${shown(Object.entries(before))}`,
      `memory in MB at the end: ${shown(Object.entries(readMemory(faultStack)))}`,
    );
  },
});
const faults = found.filter((fault) => !fault.startsWith(brokenByFixtures));
say('');
say(`${kills.length} kills; slowest recovery until a command was in effect: ${Math.max(...kills.map((kill) => kill.commandAfterMs))} ms`);
say(`${accepted.length} applications paid and approved; answers: ${shown(Object.entries(outcomes))}`);
for (const line of figures) say(line);
for (const line of errors) say(line);
for (const fault of faults) say(`WRONG: ${fault}`);
say(`${faults.length} wrong answers or facts`);
process.exitCode = faults.length === 0 ? 0 : 1;
