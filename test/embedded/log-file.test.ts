import { noticeOf, reasonIn } from '../../src/tools/embedded/log-file.ts';

describe('reasonIn', () => {
  it('takes the last error record', () => {
    expect(reasonIn('{"level":30,"msg":"starting"}\n{"level":60,"msg":"stopped","err":{"message":"no database"}}\n')).toBe(
      'stopped: no database',
    );
  });

  it('takes the message of an uncaught error, not its stack', () => {
    expect(
      reasonIn("file:///x.ts:3\n  throw new Error('no');\n        ^\n\nError: no\n    at file:///x.ts:3:9\n\nNode.js v24.21.0\n"),
    ).toBe('Error: no');
  });

  it('takes the last line of a program without such records', () => {
    expect(reasonIn('one\ntwo\n\n')).toBe('two');
    expect(reasonIn('')).toBeUndefined();
  });
});

describe('noticeOf', () => {
  it('shows warnings and errors only', () => {
    expect(noticeOf('{"level":30,"msg":"fine"}')).toBeUndefined();
    expect(noticeOf('{"level":40,"msg":"slow"}')).toBe('WARN slow');
    expect(noticeOf('{"level":50,"msg":"failed","err":{"message":"why"}}')).toBe('ERROR failed: why');
    expect(noticeOf('not a record')).toBeUndefined();
  });
});
