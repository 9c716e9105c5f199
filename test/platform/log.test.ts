import { sql } from 'kysely';
import { connect } from 'node:net';
import { mock } from 'node:test';
import { DriverException } from '@mikro-orm/core';
import { openRegistry } from '../../src/registry/open-registry.ts';
import { databaseOf } from '../../src/platform/database/database.ts';
import { causeOf, createLog } from '../../src/platform/logging/log.ts';
import { freePorts } from '../../src/tools/embedded/ports.ts';
import { databaseServer } from '../support/servers.ts';

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

  test('names SQLSTATE, system error, HTTP status and host of the error and its causes', async () => {
    const refusedLogin = Object.assign(new Error('password authentication failed for user "registry"'), {
      name: 'error',
      code: '28P01',
      severity: 'FATAL',
    });
    expect(causeOf(refusedLogin)).toBe('28P01 password authentication failed for user "registry"');
    const [port = 0] = await freePorts(1);
    const unreachable = await fetch(`http://127.0.0.1:${port}`).catch((error: unknown) => error);
    expect(causeOf(new Error('the bank cannot be reached', { cause: unreachable }))).toBe(
      `the bank cannot be reached (ECONNREFUSED 127.0.0.1:${port})`,
    );
    const refused = await new Promise<Error>((resolve) => void connect(1, '127.0.0.1').once('error', resolve));
    expect(causeOf(new Error('the scanner cannot be reached', { cause: refused }))).toBe(
      'the scanner cannot be reached (ECONNREFUSED 127.0.0.1:1)',
    );
    expect(causeOf(new AggregateError([refused], ''))).toBe('ECONNREFUSED 127.0.0.1:1');
    const ofStorage = Object.assign(new Error('no'), { $metadata: { httpStatusCode: 503 } });
    expect(causeOf(new Error('the storage is away', { cause: ofStorage }))).toBe('the storage is away (HTTP 503)');
  });

  test('says of a wrong database password what is wrong', async () => {
    const url = new URL((await databaseServer()).databaseUrl);
    url.password = 'wrong';
    const orm = await openRegistry(url.href, 1);
    const said = await sql`select 1`.execute(databaseOf(orm.em.fork())).then(() => 'connected', causeOf);
    await orm.close(true);
    expect(said).toMatch(/^28P01 password authentication failed/);
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
