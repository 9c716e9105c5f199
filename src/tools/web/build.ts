/** `npm run build:web`: builds the pages of `web/` into `dist/web`, once for each state of their source. The image and `npm start` call it. */
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { projectDirectory, runCommand } from '../embedded/scripts.ts';

const dist = join(projectDirectory, 'dist');
/** A link to the current build, so that a change of builds is one rename. */
const link = join(dist, 'web');
const pages = ['desk', 'gate'];
const sources = ['web', 'client/src', 'package-lock.json'];
/** Generated for compilers; the build strips types. */
const generated = 'client/src/api/types.ts';

/** @throws {Error} with the output of Vite when it fails */
export async function buildWeb(): Promise<void> {
  const name = `web-${hashSources()}`;
  if (!existsSync(join(dist, name))) await build(name);
  if (currentBuild() === name) return;
  const next = `${link}.${process.pid}`;
  symlinkSync(name, next);
  renameSync(next, link);
  for (const other of readdirSync(dist)) if (/^web-[\da-f]+$/.test(other) && other !== name) rmSync(join(dist, other), { recursive: true });
}

/** Two processes may build at once, and both builds are the same: the first one stays. */
async function build(name: string): Promise<void> {
  const made = join(dist, `${name}.${process.pid}`);
  const vite = join(projectDirectory, 'node_modules', 'vite', 'bin', 'vite.js');
  const runs = pages.map((page) => {
    const options = ['--config', `web/vite.${page}.ts`, '--outDir', join(made, page), '--logLevel', 'warn'];
    return runCommand(process.execPath, [vite, 'build', ...options], { cwd: projectDirectory });
  });
  for (const { code, output } of await Promise.all(runs)) if (code !== 0) throw new Error(`the pages could not be built:\n${output}`);
  try {
    renameSync(made, join(dist, name));
  } catch (error) {
    if (!existsSync(join(dist, name))) throw error;
    rmSync(made, { recursive: true });
  }
}

function currentBuild(): string | null {
  return lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(link) : null;
}

function hashSources(): string {
  const hash = createHash('sha256');
  for (const source of sources)
    for (const path of filesIn(source)) hash.update(`${path}\n`).update(readFileSync(join(projectDirectory, path)));
  return hash.digest('hex').slice(0, 16);
}

function filesIn(source: string): string[] {
  const folder = join(projectDirectory, source);
  if (statSync(folder).isFile()) return [source];
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${source}/${name}`);
  return names.filter((path) => path !== generated && statSync(join(projectDirectory, path)).isFile()).toSorted();
}

if (import.meta.main) await buildWeb();
