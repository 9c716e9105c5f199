import { DriverException } from '@mikro-orm/core';
import { causeOf } from '../../src/platform/log.ts';

/** As the ORM hands it on: the database's message, then the detail that quotes the row. */
function refused(code: string, message: string, detail: string): DriverException {
  return new DriverException(Object.assign(new Error(`${message}\n - detail: ${detail}`), { code, severity: 'ERROR' }));
}

describe('what a log says of an error', () => {
  test('names the constraint, not the row it refused', () => {
    const message = 'new row for relation "profiles" violates check constraint "profiles_kind_known"';
    const said = causeOf(refused('23514', message, 'Failing row contains (1, Әбдіқадырұлы, 900517300128).'));
    expect(said).toContain('profiles_kind_known');
    expect(said).not.toMatch(/900517300128|Әбдіқадырұлы/);
  });

  test('does not quote what was sent', () => {
    const said = causeOf(refused('22P02', 'invalid input syntax for type integer: "person@example.kz"', 'none'));
    expect(said).toContain('22P02');
    expect(said).not.toContain('person@example.kz');
  });

  test('leaves other errors their message', () => {
    expect([causeOf(new Error('the bank did not answer')), causeOf('a word')]).toEqual(['the bank did not answer', 'a word']);
  });
});
