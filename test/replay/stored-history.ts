import type { History } from '@temporalio/common/lib/proto-utils.js';
import proto from '@temporalio/proto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openPayloads } from './readable-history.ts';

/**
 * Histories of real runs, kept so that a change of a workflow which running processes could not follow is found before it is released. A
 * stored history is never made anew to let a change pass.
 */
export const historiesFolder = fileURLToPath(new URL('./histories/', import.meta.url));

const { History: HistoryMessage } = proto.temporal.api.history.v1;

export function pathOf(workflowType: string, name: string): string {
  return join(historiesFolder, workflowType, `${name}.json`);
}

/** Paths of all stored histories of a type; none when nothing was captured. */
export function listHistories(workflowType: string): string[] {
  const folder = join(historiesFolder, workflowType);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => join(folder, name));
}

export function readHistory(path: string): History {
  return HistoryMessage.fromObject(JSON.parse(readFileSync(path, 'utf8')) as object);
}

/** `lapse-and-return` of `.../lapse-and-return.json`. */
export function nameOf(path: string): string {
  return basename(path, '.json');
}

/**
 * Stores a history without what says where it was captured: names of machines, paths in stack traces.
 * @param forbidden words that may not be in it
 * @throws {Error} when it is there already, or holds such a word
 */
export function storeHistory(path: string, history: History, forbidden: readonly string[]): void {
  if (existsSync(path)) throw new Error(`${path} exists, and a stored history is never made anew`);
  const message = HistoryMessage.fromObject(history);
  // Sticky queues are named after the worker, and so after its machine.
  const machine = `@${hostname()}`;
  const json = JSON.stringify(message, (name, value: unknown) => {
    if (name === 'stackTrace') return '';
    return name === 'identity' ? 'captured' : typeof value === 'string' ? value.replaceAll(machine, '@captured') : value;
  });
  const text = openPayloads(json);
  const found = [...forbidden, machine, process.cwd()].filter((word) => text.includes(word));
  if (found.length > 0) throw new Error(`the history for ${path} holds what it may not: ${found.join(', ')}`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${json}\n`);
}
