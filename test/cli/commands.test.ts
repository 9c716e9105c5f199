import { execFile } from 'node:child_process';

const run = (...args: string[]) =>
  new Promise<{ stdout: string; stderr: string; status: unknown }>((resolve) => {
    execFile(process.execPath, ['src/cli/main.ts', ...args], (error, stdout, stderr) =>
      resolve({ stdout, stderr, status: error?.code ?? 0 }),
    );
  });
const names = ['migrate', 'admin', 'keys', 'credentials', 'secrets', 'processes', 'check', 'retention'];

test('the overview lists every command, and each explains itself without a configuration', async () => {
  const { stdout, status } = await run('--help');
  expect(status).toBe(0);
  expect([...stdout.matchAll(/^ {2}(\w+) {2}/gm)].map(([, name]) => name)).toEqual(names);
  const helps = await Promise.all(names.map((name) => run(name, '--help')));
  for (const [index, name] of names.entries()) {
    expect(helps[index]).toMatchObject({ status: 0, stderr: '' });
    expect(helps[index]?.stdout).toMatch(new RegExp(`^npm run registry -- ${name}\\b.*\n\n\\S`));
  }
});

test.each([
  [['nonsense'], 'nonsense: there is no such command; known: migrate, '],
  [['migrate', 'now'], "migrate: unexpected argument 'now'; usage: migrate\n"],
  [['keys', '--all'], "keys: Unknown option '--all'; usage: keys\n"],
  [['processes', 'restart', '--patched', 'x" or "y'], 'processes: usage: processes rebuild [--restart] | '],
])('%j is refused in one line', async (args, message) => {
  const { stderr, status } = await run(...args);
  expect(status).toBe(1);
  expect(stderr).toContain(message);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
});
