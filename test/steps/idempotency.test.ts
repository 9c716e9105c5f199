import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { executeOnce } from '../../activities/execute.ts';
import { applicationProcess } from '../../src/areas/applications/process.ts';
import { databaseOf } from '../../src/platform/database/database.ts';
import { openRegistry } from '../../src/open-registry.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { keepPrivateInput } from '../../src/platform/private-inputs.ts';
import { areOtherWords, fingerprintWords } from '../../src/platform/words-fingerprint.ts';
import { undelivered } from '../../src/platform/workflows/outbox.ts';
import { countStatements } from '../support/count-statements.ts';
import { fixturesIn } from '../support/factories.ts';
import { startTestPlatform } from '../support/test-platform.ts';
import { type Stage, stepCases } from './step-cases.ts';

let platform: Platform;
let close: () => Promise<void>;
let ownerUrl: string;
let stage: Stage;
beforeAll(async () => {
  const started = await startTestPlatform();
  platform = { ...started.platform, outbox: undelivered };
  close = started.close;
  ownerUrl = started.surroundings.database.ownerUrl;
  // In the middle of a year, so that no date falls due.
  const now = async () => new Date('2026-06-15T12:00:00+05:00');
  stage = {
    platform: { ...platform, clock: { sandbox: false, now } },
    administrator: await fixturesIn(platform).administrator(),
    bankUrl: started.surroundings.bank.url,
  };
});
afterAll(() => close());

const db = () => databaseOf(platform.orm.em.fork());
const conflict = { type: 'idempotency_key_conflict' };

/** A worker may die between the commit of a step and its answer; Temporal then runs the step again. */
describe('each step of each process', () => {
  test('is in the table below', () => {
    const steps = platform.definitions.flatMap((definition) =>
      definition.type === 'timer'
        ? []
        : [...Object.keys(definition.contract.commands), ...(definition.reconsider ? ['reconsider'] : [])].map(
            (name) => `${definition.kind}: ${name}`,
          ),
    );
    const names = Object.keys(stepCases(stage));
    expect(
      steps.filter((step) => !names.some((name) => name === step || name.startsWith(`${step} `) || name.startsWith(`${step},`))),
    ).toEqual([]);
  });

  test('runs twice: the second run returns the same and writes nothing', async () => {
    const cases = Object.entries(stepCases(stage));
    const outcomes: Record<string, unknown> = {};
    for (const [name, prepare] of cases) {
      const run = await prepare();
      const first = await run();
      const { result, statements } = await countStatements(run);
      const writes = statements.map(({ text }) => text).filter((text) => !/^\s*select\b/i.test(text) && !isReceipt(text));
      outcomes[name] = { isSame: isDeepStrictEqual(result, first), writes };
    }
    expect(outcomes).toEqual(Object.fromEntries(cases.map(([name]) => [name, { isSame: true, writes: [] }])));
  });
});

/** The first statement of a command: it inserts nothing when the command was processed. */
const isReceipt = (text: string) => /^\s*insert into "receipts" .* on conflict do nothing/i.test(text);

/** A cancellation under one key: each call is what a client sends, with words of its own. */
async function cancellation() {
  const make = fixturesIn(platform);
  const owner = await make.person();
  const { id } = await make.application(owner, { status: 'submitted' });
  const commandId = randomUUID();
  const handler = applicationProcess.commands.find(({ name }) => name === 'cancel');
  if (!handler) throw new Error('an application is not commanded to cancel');
  const run = (privateInputId: string | null, secret = platform.config.SESSION_SECRET) => {
    const running = { ...platform, config: { ...platform.config, SESSION_SECRET: secret } };
    return executeOnce(running, applicationProcess, handler, id, { commandId, caller: owner.caller, args: {}, privateInputId });
  };
  const send = async (reason: string, secret?: string) => run(await keepPrivateInput(platform, { reason }), secret);
  const kept = () =>
    db().selectFrom('receipts').select(['fingerprint', 'wordsFingerprint']).where('commandId', '=', commandId).executeTakeFirstOrThrow();
  return { id, commandId, run, send, kept };
}
const noteOf = async (id: number) =>
  (await db().selectFrom('applications').select('reviewNote').where('id', '=', id).executeTakeFirstOrThrow()).reviewNote;

test('the same key with the same input is a repeat, with other input a conflict that changes nothing', async () => {
  const { id, send, kept } = await cancellation();
  const first = await send('I am ill this year');
  expect(await send('I am ill this year')).toEqual(first);
  await expect(send('I am ill this year.')).rejects.toMatchObject(conflict);
  expect(await noteOf(id)).toBe('I am ill this year');
  expect((await kept()).wordsFingerprint).toMatch(/^[0-9a-f]{16}:[0-9a-f]{64}$/);
});

test('two in parallel with different input: one takes effect, the other gets the conflict', async () => {
  const { id, send } = await cancellation();
  const words = ['I am ill this year', 'I race no more'];
  const outcomes = await Promise.allSettled(words.map((reason) => send(reason)));
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(await noteOf(id)).toBe(words[outcomes.findIndex(({ status }) => status === 'fulfilled')]);
});

test('a repeat is honoured after the secret was exchanged, and when a release before kept no words', async () => {
  const exchanged = await cancellation();
  const first = await exchanged.send('I am ill this year');
  const secret = randomUUID() + randomUUID();
  expect(await exchanged.send('I am ill this year', secret)).toEqual(first);
  // They cannot be compared any more; what matters is that nothing is done twice.
  expect(await exchanged.send('Other words', secret)).toEqual(first);
  expect(await noteOf(exchanged.id)).toBe('I am ill this year');

  const earlier = await cancellation();
  const done = await earlier.send('I am ill this year');
  // The service may not change what was processed; a release before left it like this.
  const owner = await openRegistry(ownerUrl, 1);
  await databaseOf(owner.em.fork())
    .updateTable('receipts')
    .set({ wordsFingerprint: null })
    .where('commandId', '=', earlier.commandId)
    .execute();
  await owner.close(true);
  expect(await earlier.send('I am ill this year')).toEqual(done);
});

test('a step that runs again when its words are cleared is a repeat; one that never ran fails', async () => {
  const { run } = await cancellation();
  const input = await keepPrivateInput(platform, { reason: 'I am ill this year' });
  const first = await run(input);
  await db().deleteFrom('private_inputs').where('id', '=', input).execute();
  expect(await run(input)).toEqual(first);
  const { run: runLate, id } = await cancellation();
  await expect(runLate(randomUUID())).rejects.toMatchObject({ type: 'internal_error' });
  expect(await noteOf(id)).toBeNull();
});

test('a fingerprint is of one command and tells nothing of its words without the secret', () => {
  const [one, other] = ['secret of the registry, long enough', 'another secret of the registry, too'];
  const words = { reason: 'I am ill', note: null };
  const made = fingerprintWords('command-1', words, one);
  expect(fingerprintWords('command-1', { note: null, reason: 'I am ill' }, one)).toBe(made);
  for (const changed of [
    fingerprintWords('command-2', words, one),
    fingerprintWords('command-1', { ...words, reason: 'I am' }, one),
    fingerprintWords('command-1', null, one),
  ]) {
    expect(changed).not.toBe(made);
    expect(areOtherWords(made, changed)).toBe(true);
  }
  expect(areOtherWords(made, fingerprintWords('command-1', { reason: 'other' }, other))).toBe(false);
  expect(fingerprintWords('command-1', words, undefined)).toBeNull();
});
