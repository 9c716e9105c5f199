import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectDirectory, runCommand } from '../../src/tools/embedded/scripts.ts';
import vectors from '../vectors/credentials.json' with { type: 'json' };

const page = readFileSync(join(projectDirectory, 'docs/verification.md'), 'utf8');
const answer = `${vectors.cases.length} vectors`;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'verification-page-'));
  cpSync(join(projectDirectory, 'test/vectors'), join(folder, 'test/vectors'), { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('docs/verification.md: its programs check the vectors (GAT-1)', () => {
  test('TypeScript, with the package as npm packs it', async () => {
    const source = join(folder, 'client');
    cpSync(join(projectDirectory, 'client'), source, { recursive: true, filter: (path) => !path.includes('node_modules') });
    cpSync(join(projectDirectory, 'tsconfig.json'), join(folder, 'tsconfig.json'));
    const tsc = join(projectDirectory, 'node_modules/typescript/bin/tsc');
    mkdirSync(join(folder, 'node_modules', '@noble'), { recursive: true });
    for (const name of ['@noble/ed25519', 'openapi-fetch', 'openapi-typescript-helpers'])
      symlinkSync(join(projectDirectory, 'node_modules', name), join(folder, 'node_modules', name));
    await mustRun(process.execPath, [tsc, '-p', join(source, 'tsconfig.build.json')]);
    symlinkSync(source, join(folder, 'node_modules/federation-registry-client'));
    writeFileSync(join(folder, 'check.ts'), typescriptProgram());
    expect(await mustRun(process.execPath, [join(folder, 'check.ts')])).toContain(answer);
  });

  test('Python, with packages of PyPI', async () => {
    const python = await preparePython(join(folder, 'python'));
    if (python === null) return;
    expect(await mustRun(python, ['test/vectors/verify.py'])).toContain(answer);
  });
});

function typescriptProgram(): string {
  const [, program = ''] = page.split('```ts\n');
  return program.split('```')[0] ?? '';
}

async function mustRun(command: string, args: string[]): Promise<string> {
  const { code, output } = await runCommand(command, args, { timeout: 120_000, cwd: folder });
  if (code !== 0) throw new Error(output);
  return output;
}

/** Makes an environment with the packages; says so and returns null where there is no Python 3 or no PyPI. */
async function preparePython(environment: string): Promise<string | null> {
  const program = join(environment, 'bin', 'python');
  const steps: [string, string[]][] = [
    ['python3', ['-m', 'venv', environment]],
    [program, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', 'cryptography==50.0.2', 'cbor2==6.3.0']],
  ];
  for (const [command, args] of steps) {
    const { code, output } = await runCommand(command, args, { timeout: 240_000 });
    if (code === 0) continue;
    process.stderr.write(`Skipped: the Python program of docs/verification.md (${output.trim().split('\n').at(-1) ?? command})\n`);
    return null;
  }
  return program;
}
