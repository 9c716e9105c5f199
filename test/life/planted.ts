import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../src/tools/embedded/scripts.ts';

const project = fileURLToPath(new URL('../../', import.meta.url));
const folder = fileURLToPath(new URL('planted/', import.meta.url));
const minutes = 3;
/** At least so many of all faults must be found, five of six. */
const share = 5 / 6;

/** The planted faults: each is a patch of the source with one sentence before it. */
export function listPlanted(): { name: string; path: string; sentence: string }[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.patch'))
    .toSorted()
    .map((file) => {
      const path = join(folder, file);
      return { name: basename(file, '.patch'), path, sentence: readFileSync(path, 'utf8').split('\n')[0] ?? '' };
    });
}

/** Whether a patch applies to the source as it stands. @returns what git says; empty when it applies */
export async function checkPlanted(path: string): Promise<string> {
  const { code, output } = await runCommand('git', ['apply', '--check', path], { cwd: project });
  return code === 0 ? '' : output;
}

/**
 * Lives with each planted fault in a copy of the project, for three minutes at most, and says which the auditor finds.
 * @param only a part of the names
 * @returns whether enough were found
 */
export async function livePlanted(only: string, say: (line: string) => void): Promise<boolean> {
  const wanted = listPlanted().filter(({ name }) => name.includes(only));
  let found = 0;
  for (const { name, path, sentence } of wanted) {
    const startedAt = Date.now();
    const output = await liveWith(path);
    const [, finding] = /\n\n([^\n]+\n[^\n]+\n[^\n]+)\n\nThe shortest life/.exec(output) ?? [];
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    if (finding !== undefined) found += 1;
    say(`${finding === undefined ? 'NOT FOUND' : 'found'} in ${seconds} s: ${name}: ${sentence}`);
    say(finding === undefined ? output.slice(-500) : finding.replaceAll(/^/gm, '    '));
  }
  say(`${found} of ${wanted.length} planted faults were found`);
  return found >= Math.ceil(wanted.length * share);
}

/** @returns the output of the lives */
async function liveWith(patch: string): Promise<string> {
  const copy = mkdtempSync(join(tmpdir(), 'registry-planted-'));
  try {
    const { output: files } = await runCommand('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: project });
    for (const file of files.split('\n').filter(Boolean)) {
      mkdirSync(join(copy, dirname(file)), { recursive: true });
      cpSync(join(project, file), join(copy, file));
    }
    symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'));
    mkdirSync(join(copy, '.data'));
    symlinkSync(join(project, '.data', 'bin'), join(copy, '.data', 'bin'));
    const { code, output } = await runCommand('git', ['apply', patch], { cwd: copy });
    if (code !== 0) throw new Error(`${basename(patch)} does not apply: ${output}`);
    const flags = ['--disable-warning=ExperimentalWarning'];
    const args = ['test/life/main.ts', '--seed', '1', '--minutes', String(minutes), '--shrink', '0'];
    const child = spawn(process.execPath, [...flags, ...args], { cwd: copy, stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    await once(child, 'close');
    return text;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
