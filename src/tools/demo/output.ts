import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoSurroundings } from './surroundings.ts';

/** Lays a file down for the person at the terminal. @returns where it is */
export function keep({ outputDirectory }: DemoSurroundings, name: string, content: Buffer): string {
  mkdirSync(outputDirectory, { recursive: true });
  const path = join(outputDirectory, name);
  writeFileSync(path, content);
  return path;
}
