import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDirectory } from '../../src/tools/embedded/scripts.ts';

/** Name of the change that the next release makes to the workflow of every record. */
export const nextPatch = 'next-release';

const edits = [
  {
    file: 'workflows/patches.ts',
    from: 'export const patches = {',
    to: `export const patches = {\n  nextRelease: '${nextPatch}',`,
  },
  {
    file: 'workflows/entity-workflow.ts',
    from: "from '@temporalio/workflow';\n",
    to: "from '@temporalio/workflow';\nimport { patched } from '@temporalio/workflow';\nimport { patches } from './patches.ts';\n",
  },
  {
    file: 'workflows/entity-workflow.ts',
    from: '  private async readRecord(requestId: string | null): Promise<void> {',
    to: '  private async readRecord(requestId: string | null): Promise<void> {\n    if (patched(patches.nextRelease)) await sleep(1);',
  },
  {
    file: 'workflows/entity-workflow.ts',
    from: '          let view: ProcessView;',
    to: '          if (patched(patches.nextRelease)) await sleep(1);\n          let view: ProcessView;',
  },
] as const;

/** Writes a copy of the project's sources, as a release is installed. @param folder becomes the folder of the release */
export function writeRelease(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of ['src', 'workflows', 'activities', 'worker', 'package.json', 'package-lock.json'])
    cpSync(join(projectDirectory, name), join(folder, name), { recursive: true });
  symlinkSync(join(projectDirectory, 'node_modules'), join(folder, 'node_modules'));
}

/** Writes a release whose workflows wait for a timer before each step, under a new `patched()` name: it changes running processes. */
export function writeNextRelease(folder: string): void {
  writeRelease(folder);
  for (const { file, from, to } of edits) {
    const path = join(folder, file);
    const source = readFileSync(path, 'utf8');
    if (!source.includes(from)) throw new Error(`${file} has no line "${from.trim()}"`);
    writeFileSync(path, source.replace(from, to));
  }
}
