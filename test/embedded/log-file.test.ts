import { noticeOf, reasonIn } from '../../src/tools/embedded/log-file.ts';

test.each([
  [
    'the last error record',
    '{"level":30,"msg":"starting"}\n{"level":60,"msg":"stopped","err":{"message":"no database"}}\n',
    'stopped: no database',
  ],
  [
    'the message of an uncaught error, not its stack',
    "file:///x.ts:3\n  throw new Error('no');\n        ^\n\nError: no\n    at file:///x.ts:3:9\n\nNode.js v24.21.0\n",
    'Error: no',
  ],
  ['the last line of a program without such records', 'one\ntwo\n\n', 'two'],
  ['nothing of an empty log', '', undefined],
])('the reason in a log is %s', (_what, log, reason) => expect(reasonIn(log)).toBe(reason));

test.each([
  ['{"level":30,"msg":"fine"}', undefined],
  ['{"level":40,"msg":"slow"}', 'WARN slow'],
  ['{"level":50,"msg":"failed","err":{"message":"why"}}', 'ERROR failed: why'],
  ['not a record', undefined],
])('of %s the terminal shows %s', (line, notice) => expect(noticeOf(line)).toBe(notice));
