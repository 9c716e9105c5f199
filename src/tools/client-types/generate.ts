/**
 * Generates `client/src/api/types.ts` when it is missing or older than the source that the OpenAPI document comes from. What compiles, checks
 * or packs the client calls it first; what runs it strips the types and needs none.
 */
import { readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('../../../', import.meta.url));
const target = `${project}client/src/api/types.ts`;
const sources = ['package-lock.json', ...readdirSync(`${project}src`, { recursive: true, encoding: 'utf8' }).map((path) => `src/${path}`)];

const changedAt = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const writtenAt = changedAt(target);
if (sources.some((path) => changedAt(`${project}${path}`) > writtenAt)) {
  const { documentTypes } = await import('./document-types.ts');
  // A compiler may read it at this moment.
  writeFileSync(`${target}.${process.pid}`, documentTypes);
  renameSync(`${target}.${process.pid}`, target);
}
