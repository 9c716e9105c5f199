import { mock } from 'node:test';
import { DriverException } from '@mikro-orm/core';
import { causeOf, createLog } from '../../src/platform/log.ts';

/** The error of the ORM: the database's message, then the detail that quotes the row. */
function refused(code: string, message: string, detail: string): DriverException {
  return new DriverException(Object.assign(new Error(`${message}\n - detail: ${detail}`), { code, severity: 'ERROR' }));
}

describe('the log of an error', () => {
  test('names the constraint, not the refused row', () => {
    const message = 'new row for relation "profiles" violates check constraint "profiles_kind_known"';
    const said = causeOf(refused('23514', message, 'Failing row contains (1, Әбдіқадырұлы, 900517300128).'));
    expect(said).toContain('profiles_kind_known');
    expect(said).not.toMatch(/900517300128|Әбдіқадырұлы/);
  });

  test('does not quote the sent data', () => {
    const said = causeOf(refused('22P02', 'invalid input syntax for type integer: "person@example.kz"', 'none'));
    expect(said).toContain('22P02');
    expect(said).not.toContain('person@example.kz');
  });

  test('keeps the message of other errors', () => {
    expect([causeOf(new Error('the bank did not answer')), causeOf('a word')]).toEqual(['the bank did not answer', 'a word']);
  });
});

describe('a repeated line', () => {
  interface Line {
    msg: string;
    repeated?: number;
    process?: string;
  }
  function startLog() {
    const lines: Line[] = [];
    const log = createLog('test', 'info', { write: (line) => void lines.push(JSON.parse(line) as Line) });
    return { log, lines };
  }
  beforeEach(() => mock.timers.enable());
  afterEach(() => mock.timers.reset());

  test('is written at first, then once a minute with its count', () => {
    const { log, lines } = startLog();
    for (let id = 0; id < 3000; id += 1)
      log.warn({ process: `application/${id}`, cause: `there is no object photos/${id} in the storage` }, 'an activity failed');
    expect(lines).toEqual([expect.objectContaining({ msg: 'an activity failed', process: 'application/0' })]);
    expect(lines[0]).not.toHaveProperty('repeated');
    mock.timers.tick(60_000);
    expect(lines.slice(1)).toEqual([expect.objectContaining({ msg: 'an activity failed', process: 'application/2999', repeated: 2999 })]);
    log.child({ part: 'of a child' }).warn({ cause: 'there is no object photos/1 in the storage' }, 'an activity failed');
    mock.timers.tick(60_000);
    expect(lines.at(-1)?.repeated).toBe(1);
    // After a minute without repetition, the line counts as new.
    mock.timers.tick(60_000);
    log.warn({ cause: 'there is no object photos/7 in the storage' }, 'an activity failed');
    expect(lines).toHaveLength(4);
  });

  test('with another message or cause is written; so are other levels, and each unexpected error', () => {
    const { log, lines } = startLog();
    for (const cause of ['ECONNREFUSED', 'ECONNRESET']) for (const message of ['one', 'two']) log.error({ cause }, message);
    log.info('three');
    log.info('three');
    log.error({ err: new Error('a bug'), request_id: 'first' }, 'request failed');
    log.error({ err: new Error('a bug'), request_id: 'second' }, 'request failed');
    log.warn('four');
    log.warn('four');
    expect(lines.map(({ msg }) => msg)).toEqual(['one', 'two', 'one', 'two', 'three', 'three', 'request failed', 'request failed', 'four']);
    mock.timers.tick(60_000);
    expect(lines.slice(9)).toEqual([expect.objectContaining({ msg: 'four', repeated: 1 })]);
  });
});
