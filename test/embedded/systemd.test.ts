import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { describeVariables } from '../../src/registry/config.ts';
import { onSearchPath } from '../../src/tools/embedded/temporal/download.ts';

const folder = 'ops/systemd';
const units = readdirSync(folder).map((name) => [name, readFileSync(`${folder}/${name}`, 'utf8')] as const);
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const program: Record<string, string | undefined> = {
  'registry-api@.service': scripts['start:api'],
  'registry-worker-commands@.service': scripts['start:worker'],
  'registry-worker-tasks@.service': scripts['start:worker'],
};
const known = new Set(describeVariables().map(({ name }) => name as string));

test('there is a template for APIs and one for each kind of workers', () => {
  expect(units.map(([name]) => name).toSorted()).toEqual(Object.keys(program).toSorted());
});

test.each(units)('%s runs the program of package.json, with secrets as files and variables that the configuration knows', (name, text) => {
  expect(text).toContain(`ExecStart=/usr/bin/${program[name]}\n`);
  const variables = [...text.matchAll(/^Environment=([^"].*)$/gm)].flatMap(([, line = '']) =>
    line.split(' ').map((pair) => pair.split('=')),
  );
  // The loader's own.
  const ours = variables.filter(([variable]) => variable !== 'LD_PRELOAD');
  expect(ours.filter(([variable = '']) => !known.has(variable.replace(/_FILE$/, '')))).toEqual([]);
  const credentials = [...text.matchAll(/^LoadCredential=(\w+):/gm)].map(([, credential]) => `%d/${credential}`);
  expect(ours.filter(([variable]) => variable?.endsWith('_FILE')).map(([, value]) => value)).toEqual(credentials);
  expect(text.includes('NODE_OPTIONS')).toBe(name.startsWith('registry-api'));
  const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(text) ?? [];
  expect(Number(seconds)).toBeGreaterThan(5 + 10);
});

const analyzer = onSearchPath('systemd-analyze', process.env['PATH']);
if ('missing' in analyzer)
  test('systemd-analyze IS NOT INSTALLED HERE: the units are only read', () => expect(analyzer.missing).toBe('not there'));
else
  test.each(units)('%s passes systemd-analyze', (name) => {
    // It ends with 0 whatever it finds. Other lines are of units and programs that the operator installs.
    const output = execFileSync('sh', ['-c', '"$1" verify "$2" 2>&1 || true', 'sh', analyzer.path, `${folder}/${name}`], {
      encoding: 'utf8',
    });
    const complaints = output.split('\n').filter((line) => line.includes(`${name}:`));
    expect(complaints).toEqual([]);
  });
