import { readFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { name: string; version: string };

/** Name and version of this release, for logs, metrics, traces and the OpenAPI document. */
export const { name: releaseName, version: releaseVersion } = manifest;
