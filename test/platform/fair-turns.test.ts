import { FairTurns, type TurnLimits } from '../../src/platform/turns/fair-turns.ts';

/** Turns whose work ends on a signal of the test. */
function setUp(limits: TurnLimits = { atOnce: 1, waitingEach: 3, waitingInAll: 6 }) {
  const turns = new FairTurns<string>(limits);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const send = (name: string, signal?: AbortSignal) => {
    const party = name.slice(0, 1);
    const work = async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
      return name;
    };
    return turns.take(party, work, { signal }).catch((error: Error & { code?: string }) => `${name}: ${error.code}`);
  };
  const endOne = async () => {
    ends.shift()?.();
    // The end schedules microtasks; they are done by the next macrotask.
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { begun, send, endOne };
}

test('a new party is next, however many requests of another party wait', async () => {
  const { begun, send, endOne } = setUp();
  const answers = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2'].map((name) => send(name));
  for (const _ of answers) await endOne();
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  expect(await Promise.all(answers)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']);
});

test('limits parallel work, and failed work frees its slot', async () => {
  const turns = new FairTurns<string>({ atOnce: 2, waitingEach: 50, waitingInAll: 50 });
  let running = 0;
  let most = 0;
  const work = async (index: number) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    if (index % 3 === 0) throw new Error('failed');
    return index;
  };
  const done = await Promise.allSettled(Array.from({ length: 30 }, (_, index) => turns.take('a', () => work(index))));
  expect([most, done.filter(({ status }) => status === 'fulfilled').length]).toEqual([2, 20]);
  expect(await turns.take('a', async () => 'free again')).toBe('free again');
});

test('a party with too many waiting requests is refused, others are not', async () => {
  const { begun, send, endOne } = setUp();
  const answers = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1'].map((name) => send(name));
  for (const _ of answers) await endOne();
  expect(await Promise.all(answers)).toEqual(['a1', 'a2', 'a3', 'a4', 'a5: rate_limited', 'b1']);
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
});

test('a party without waiting work gets a slot of the party with the most; if all have the same, it is refused', async () => {
  const { send, endOne } = setUp();
  const answers = ['x1', 'a1', 'a2', 'a3', 'b1', 'b2', 'b3', 'c1', 'd1', 'e1', 'f1', 'g1'].map((name) => send(name));
  for (const _ of answers) await endOne();
  expect(await Promise.all(answers)).toEqual([
    'x1',
    'a1',
    'a2: rate_limited',
    'a3: rate_limited',
    'b1',
    'b2: rate_limited',
    'b3: rate_limited',
    'c1',
    'd1',
    'e1',
    'f1',
    'g1: service_unavailable',
  ]);
});

test('a disconnected client frees its turn and its slot', async () => {
  const { begun, send, endOne } = setUp();
  const controller = new AbortController();
  const answers = [send('a1'), send('a2', controller.signal), send('a3', controller.signal), send('a4', controller.signal)];
  controller.abort(Object.assign(new Error('gone'), { code: 'ECONNABORTED' }));
  answers.push(send('a5', controller.signal), send('a6'), send('a7'), send('a8'));
  for (const _ of answers) await endOne();
  expect(begun).toEqual(['a1', 'a6', 'a7', 'a8']);
  expect((await Promise.all(answers)).filter((answer) => answer.endsWith(': ECONNABORTED'))).toHaveLength(4);
});

test('started work completes, although its client has disconnected', async () => {
  const { send, endOne } = setUp();
  const controller = new AbortController();
  const answers = [send('a1', controller.signal), send('b1')];
  controller.abort();
  for (const _ of answers) await endOne();
  expect(await Promise.all(answers)).toEqual(['a1', 'b1']);
});

test('a party gets at most its share of parallel work', async () => {
  const { begun, send, endOne } = setUp({ atOnce: 3, atOnceEach: 2, waitingEach: 9, waitingInAll: 9 });
  const answers = ['a1', 'a2', 'a3', 'a4'].map((name) => send(name));
  expect(begun).toEqual(['a1', 'a2']);
  answers.push(send('b1'), send('b2'));
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  await endOne();
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
  await endOne();
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'b2']);
  for (const _ of answers) await endOne();
  expect(await Promise.all(answers)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'b2']);
});

test('the lowest rank is next, and replaces the highest if all slots are used', async () => {
  const turns = new FairTurns<string>({ atOnce: 1, waitingEach: 3, waitingInAll: 3 });
  const begun: string[] = [];
  const send = (party: string, rank: number) =>
    turns
      .take(
        party,
        async () => {
          begun.push(party);
          await new Promise((resolve) => setImmediate(resolve));
        },
        { rank: () => rank },
      )
      .then(
        () => 'done',
        (error: { code?: string }) => error.code,
      );
  const answers = [send('a', 9), send('b', 5), send('c', 7), send('d', 6), send('e', 1), send('f', 8)];
  expect(await Promise.all(answers)).toEqual(['done', 'done', 'rate_limited', 'done', 'done', 'service_unavailable']);
  expect(begun).toEqual(['a', 'e', 'b', 'd']);
});

test('long work leaves a turn for short work, and work becomes long only while no other work waits', async () => {
  const turns = new FairTurns<string>({ atOnce: 2, atOnceLong: 1, waitingEach: 3, waitingInAll: 9 });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const work = (name: string) => async (turn: { becomeLong(): boolean }) => {
    begun.push(name);
    await new Promise<void>((resolve) => ends.push(resolve));
    return turn.becomeLong();
  };
  const answers = [
    turns.take('a', work('long a'), { isLong: true }),
    turns.take('b', work('long b'), { isLong: true }),
    turns.take('c', work('short c')),
  ];
  expect(begun).toEqual(['long a', 'short c']);
  for (const end of [1, 0, 2]) {
    ends[end]?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  // The short work could not become long: long work was running, and other work waited.
  expect(await Promise.all(answers)).toEqual([true, true, false]);
  const alone = turns.take('d', work('short d'));
  ends[3]?.();
  expect(await alone).toBe(true);
});

test('waiting work can be refused, started work completes', async () => {
  const turns = new FairTurns<string>({ atOnce: 1, waitingEach: 3, waitingInAll: 6 });
  const work = () => new Promise<string>((resolve) => void setImmediate(() => resolve('done')));
  const answers = Promise.allSettled(['a', 'a', 'b'].map((party) => turns.take(party, work)));
  const closed = new Error('closed');
  turns.refuseWaiting(closed);
  expect(await answers).toEqual([
    { status: 'fulfilled', value: 'done' },
    { status: 'rejected', reason: closed },
    { status: 'rejected', reason: closed },
  ]);
  expect(await turns.take('b', work)).toBe('done');
});
