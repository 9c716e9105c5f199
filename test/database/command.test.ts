import { systemClock } from '../../src/platform/time/clock.ts';
import { commit } from '../../src/platform/commands/command.ts';
import { Extensions } from '../../src/platform/extensions.ts';
import { relayOnlyOutbox } from '../../src/platform/workflows/outbox.ts';

const caller = { actor: { kind: 'process' }, requestId: 'test', ip: null } as const;
const failure = (code: string) => Object.assign(new Error(code), { code });

/** A database whose first transactions fail with the given errors, before the command or during its COMMIT. */
function failing(...failures: { code: string; at: 'command' | 'commit' }[]) {
  const fork = () => {
    const next = failures.shift();
    const begin = async () => {
      if (next?.at === 'command') throw failure(next.code);
    };
    const commit = async () => {
      if (next) throw failure(next.code);
    };
    const getKysely = () => ({ withPlugin: () => null });
    return { begin, commit, getKysely, flush: async () => undefined, isInTransaction: () => true, rollback: async () => undefined };
  };
  return { clock: systemClock, extensions: new Extensions([]), outbox: relayOnlyOutbox, orm: { em: { fork } } as never };
}

async function runs(database: ReturnType<typeof failing>): Promise<[number, string]> {
  let count = 0;
  const outcome = await commit(database, caller, async () => {
    count += 1;
    return 'done';
  }).then(
    (result) => result,
    (error: Error) => error.message,
  );
  return [count, outcome];
}

describe('a command is retried', () => {
  test.each(['40001', '40P01'])('after a rollback by the server, also during COMMIT (%s)', async (code) => {
    expect(await runs(failing({ code, at: 'commit' }))).toEqual([2, 'done']);
  });

  test.each(['57P01', 'ECONNRESET'])('after a connection lost before COMMIT (%s)', async (code) => {
    expect(await runs(failing({ code, at: 'command' }, { code, at: 'command' }))).toEqual([1, 'done']);
  });
});

test.each(['57P01', '08006', 'ECONNRESET'])('a command whose COMMIT got no answer is not retried (%s)', async (code) => {
  expect(await runs(failing({ code, at: 'commit' }))).toEqual([1, code]);
});

test('repeated failures end the retries, and other errors are not retried', async () => {
  const deadlock = { code: '40P01', at: 'commit' } as const;
  expect(await runs(failing(deadlock, deadlock, deadlock, deadlock))).toEqual([3, '40P01']);
  expect(await runs(failing({ code: '23505', at: 'commit' }))).toEqual([1, '23505']);
});
