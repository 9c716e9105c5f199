import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectDirectory, runCommand } from '../../src/tools/embedded/scripts.ts';

/** An empty project with the package `client/`, as npm packs and installs it. */
export interface InstalledClient {
  folder: string;
  /** Compiles a program in the project. @returns the lines with an error, and the output */
  compile(program: string, options?: { isForNode: boolean }): Promise<{ lines: number[]; output: string }>;
  close(): void;
}

const inProject = (path: string) => join(projectDirectory, path);
const tsc = inProject('node_modules/typescript/bin/tsc');

export async function installClient(): Promise<InstalledClient> {
  const root = mkdtempSync(join(tmpdir(), 'registry-client-'));
  const source = join(root, 'client');
  await run(projectDirectory, 'npm', 'run', '--silent', 'client:types');
  cpSync(inProject('client'), source, { recursive: true, filter: (path) => !/node_modules|dist$/.test(path) });
  cpSync(inProject('tsconfig.json'), join(root, 'tsconfig.json'));
  for (const needed of ['node_modules', 'src']) symlinkSync(inProject(needed), join(root, needed));
  const folder = join(root, 'project');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  // The dependencies are packed too, so that the installation needs no network.
  const packages = ['openapi-fetch', 'openapi-typescript-helpers', '@noble/ed25519'].map((name) => inProject(`node_modules/${name}`));
  await run(root, 'npm', 'pack', source);
  await run(root, 'npm', 'pack', '--ignore-scripts', ...packages);
  const archives = readdirSync(root).filter((name) => name.endsWith('.tgz'));
  await run(folder, 'npm', 'install', '--offline', '--ignore-scripts', ...archives.map((name) => join(root, name)));
  return {
    folder,
    async compile(program, { isForNode } = { isForNode: false }) {
      writeFileSync(join(folder, 'program.ts'), program);
      const compilerOptions = { ...strictest, ...(isForNode ? ofNode : ofBrowsers) };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
      const { output } = await runCommand(process.execPath, [tsc, '-p', folder], { timeout: 240_000, cwd: folder });
      const lines = [...output.matchAll(/^program\.ts\((\d+),/gm)].map(([, line]) => Number(line));
      return { lines: [...new Set(lines)], output };
    },
    close: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Options that also check the package's types. */
const strictest = {
  target: 'es2024',
  module: 'nodenext',
  strict: true,
  noEmit: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noPropertyAccessFromIndexSignature: true,
  skipLibCheck: false,
};
const ofNode = { lib: ['es2024'], types: ['node'], typeRoots: [inProject('node_modules/@types')] };
const ofBrowsers = { lib: ['es2024', 'dom', 'dom.iterable'], types: [] };

async function run(cwd: string, command: string, ...args: string[]): Promise<void> {
  const { code, output } = await runCommand(command, args, { timeout: 240_000, cwd });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}\n${output}`);
}
