import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** What an editor writes beside a file (`.x.ts.swp`, `x.ts~`, `4913`) ends otherwise. */
const sourceName = /^[^.#].*\.(ts|mjs|json|sql)$/;

/** An editor writes a file in several steps, and a change of branch writes many files. */
const quietMs = 60;

export type SourceWatcher = { close: () => void };

/**
 * Watches all source files below some folders, new folders included.
 *
 * Each folder has a watcher of its own. The recursive watcher of Node loses a file on Linux as soon as an editor replaces it (writes
 * another one and renames it), which many do.
 *
 * @param root the paths told are relative to it
 * @param onChange gets the files changed, added or removed, once nothing has changed for a moment
 */
export function watchSources(root: string, folders: readonly string[], onChange: (paths: string[]) => void): SourceWatcher {
  const watchers = new Map<string, FSWatcher>();
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  const note = (path: string) => {
    changed.add(relative(root, path));
    clearTimeout(timer);
    timer = setTimeout(() => {
      const paths = [...changed].toSorted();
      changed.clear();
      onChange(paths);
    }, quietMs);
  };

  /** A folder that was moved would go on telling of its files, by the names they had before. */
  const forget = (folder: string) => {
    for (const [path, watcher] of watchers) {
      if (path !== folder && !path.startsWith(folder + sep)) continue;
      watcher.close();
      watchers.delete(path);
    }
  };

  const onEvent = (folder: string, name: string | null) => {
    if (name === null) return;
    const path = join(folder, name);
    if (sourceName.test(name)) note(path);
    else if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) follow(path, note);
    else if (watchers.has(path)) forget(path);
  };

  /** @param onFile gets the files of a folder that was not watched yet: they may be older than its watcher. */
  const follow = (folder: string, onFile?: (path: string) => void) => {
    if (watchers.has(folder)) return;
    const watcher = watch(folder, (_event, name) => onEvent(folder, name));
    // The folder was removed.
    watcher.on('error', () => forget(folder));
    watchers.set(folder, watcher);
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) follow(path, onFile);
      else if (sourceName.test(entry.name)) onFile?.(path);
    }
  };

  for (const folder of folders) follow(join(root, folder));
  return {
    close: () => {
      clearTimeout(timer);
      for (const watcher of watchers.values()) watcher.close();
      watchers.clear();
    },
  };
}
