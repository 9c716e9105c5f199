import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeFlags, runCommand } from '../../src/tools/embedded/scripts.ts';

const project = fileURLToPath(new URL('../../', import.meta.url));
const folder = fileURLToPath(new URL('planted/', import.meta.url));
/** After them the end of a life is asked about, within three minutes in all. */
const minutes = 2.8;
/** At least so many of all faults must be found, five of six. */
const share = 5 / 6;

/** Lists the planted faults, a folder for each area: a patch of the source with one sentence before it. */
export function listPlanted(): { name: string; path: string; sentence: string }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.patch'))
    .toSorted()
    .map((file) => {
      const path = join(folder, file);
      return { name: file.slice(0, -'.patch'.length), path, sentence: readFileSync(path, 'utf8').split('\n')[0] ?? '' };
    });
}

/** Whether a patch applies to the source as it stands. @returns what git says; empty when it applies */
export async function checkPlanted(path: string): Promise<string> {
  const { code, output } = await runCommand('git', ['apply', '--check', path], { cwd: project });
  return code === 0 ? '' : output;
}

/**
 * Lives with each planted fault in a copy of the project, for three minutes at most, and says which the auditor finds. The life that found
 * one is lived to that step in an unchanged copy too: the same finding there proves nothing.
 * @param only a part of the names
 * @returns whether enough were found
 * @throws {Error} for a patch that does not apply
 */
export async function livePlanted(only: string, say: (line: string) => void): Promise<boolean> {
  const wanted = listPlanted().filter(({ name }) => name.includes(only));
  /** To which step the life of a seed was lived without a finding in an unchanged copy. */
  const unchanged = new Map<string, number>();
  let found = 0;
  for (const { name, path, sentence } of wanted) {
    const startedAt = Date.now();
    const finding = findingIn(await liveWith(path, ['--seed', '1', '--minutes', String(minutes)]));
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    let without: Finding | null = null;
    if (finding !== null && (unchanged.get(finding.seed) ?? 0) < finding.steps) {
      const sameLife = ['--seed', finding.seed, '--lives', '1', '--until', String(finding.steps)];
      without = findingIn(await liveWith(null, sameLife));
      if (without === null) unchanged.set(finding.seed, finding.steps);
    }
    const isFound = finding !== null && (without === null || questionOf(without) !== questionOf(finding));
    if (isFound) found += 1;
    say(`${isFound ? 'found' : 'NOT FOUND'} in ${seconds} s: ${name}: ${sentence}`);
    if (finding !== null) say(`life ${finding.seed}: ${finding.text}`.replaceAll(/^/gm, '    '));
    if (without !== null) say(`without the fault: ${without.text}`.replaceAll(/^/gm, '    '));
  }
  say(`${found} of ${wanted.length} planted faults were found`);
  return found >= Math.ceil(wanted.length * share);
}

interface Finding {
  seed: string;
  /** The number of the step after which it was found. */
  steps: number;
  text: string;
}

/** Returns the question of a finding, without the numbers, ids and instants that differ between two lives of one seed. */
function questionOf({ text }: Finding): string {
  const [question = ''] = (text.split('\n')[0] ?? '').split(' {');
  return question.replaceAll(/[\da-f-]{36}|\d+/g, '#');
}

/** Returns the finding in the output of `main.ts`; null without one. */
function findingIn(output: string): Finding | null {
  const [, seed = '', taken, text = ''] = /life (\d+): found after (\d+) [^\n]+\n\n(.+?)\n\nThe shortest life/s.exec(output) ?? [];
  return seed === '' ? null : { seed, steps: Number(taken), text };
}

/** Lives in a copy of the project. @param patch applied to the copy; null for none. @returns the output of the lives */
async function liveWith(patch: string | null, options: readonly string[]): Promise<string> {
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
    if (patch !== null) {
      const { code, output } = await runCommand('git', ['apply', patch], { cwd: copy });
      if (code !== 0) throw new Error(`${patch} does not apply: ${output}`);
    }
    const args = [...nodeFlags, 'test/life/main.ts', '--shrink', '0', ...options];
    return (await runCommand(process.execPath, args, { cwd: copy })).output;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
