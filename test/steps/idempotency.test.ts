import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { executeOnce } from '../../activities/execute.ts';
import { applicationProcess } from '../../src/areas/applications/process.ts';
import { databaseOf } from '../../src/platform/database/database.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { storePrivateInput } from '../../src/platform/commands/private-inputs.ts';
import { relayOnlyOutbox } from '../../src/platform/workflows/outbox.ts';
import { handlerOf } from '../support/handler-of.ts';
import { countStatements } from '../support/count-statements.ts';
import type { KeyedRequest } from '../../src/platform/commands/idempotent-request.ts';
import { fixturesIn } from '../support/factories.ts';
import { startTestPlatform } from '../support/test-platform.ts';
import { type Stage, stepCases } from './step-cases.ts';

let platform: Platform;
let close: () => Promise<void>;
let stage: Stage;
beforeAll(async () => {
  const started = await startTestPlatform();
  platform = { ...started.platform, outbox: relayOnlyOutbox };
  close = started.close;
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
const ofKey = (fingerprint: string): KeyedRequest => ({ fingerprint });

/** A worker may die between the commit of a step and its answer; Temporal then runs the step again. */
describe('each step of each process', () => {
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

/** A cancellation under one id: each call is one delivery of the command. */
async function cancellation() {
  const make = fixturesIn(platform);
  const owner = await make.person();
  const { id } = await make.application(owner, { status: 'submitted' });
  const commandId = randomUUID();
  const handler = handlerOf(applicationProcess, 'cancel');
  const run = (privateInputId: string | null, request: KeyedRequest | null = null) =>
    executeOnce(platform, applicationProcess, handler, id, { commandId, request, caller: owner.caller, args: {}, privateInputId });
  const send = async (reason: string, request: KeyedRequest | null = null) => run(await storePrivateInput(platform, { reason }), request);
  return { id, run, send };
}
const noteOf = async (id: number) =>
  (await db().selectFrom('applications').select('reviewNote').where('id', '=', id).executeTakeFirstOrThrow()).reviewNote;

describe.each([
  ['without a key', null],
  ['with a key', ofKey('the request')],
])('a command %s', (_name, request) => {
  test('that is delivered again is a repeat, also in parallel', async () => {
    const { id, send } = await cancellation();
    const [first, second] = await Promise.all([send('I am ill this year', request), send('I am ill this year', request)]);
    expect(second).toEqual(first);
    expect(await send('I am ill this year', request)).toEqual(first);
    expect(await noteOf(id)).toBe('I am ill this year');
  });

  test('whose private input is deleted is a repeat when it ran before; one that never ran fails', async () => {
    const { run } = await cancellation();
    const input = await storePrivateInput(platform, { reason: 'I am ill this year' });
    const first = await run(input, request);
    await db().deleteFrom('private_inputs').where('id', '=', input).execute();
    expect(await run(input, request)).toEqual(first);
    const { run: runLate, id } = await cancellation();
    await expect(runLate(randomUUID(), request)).rejects.toMatchObject({ type: 'internal_error' });
    expect(await noteOf(id)).toBeNull();
  });
});

test('API-6: a key of another request is a conflict that changes nothing, also in parallel', async () => {
  const { id, send } = await cancellation();
  const words = ['I am ill this year', 'I race no more'];
  const outcomes = await Promise.allSettled(words.map((reason) => send(reason, ofKey(reason))));
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(outcomes).toContainEqual({ status: 'rejected', reason: expect.objectContaining({ type: 'idempotency_key_conflict' }) });
  expect(await noteOf(id)).toBe(words[outcomes.findIndex(({ status }) => status === 'fulfilled')]);
});
