import { buildExport } from '../src/national/index.ts';
import type { Platform } from '../src/platform/platform.ts';
import { processRef } from '../src/platform/process-ref.ts';
import { ownCaller } from './execute.ts';
import { heartbeating } from './heartbeating.ts';
import { triedLater } from './tried-later.ts';

/** Files made of national lists. */
export function createNationalExportActivities(platform: Platform) {
  return {
    /** Makes and stores the file of an export, or ends it as failed where its records make it impossible; goes on where a try before was cut off. */
    buildNationalExport: (id: number): Promise<void> =>
      triedLater(() => heartbeating((signal) => buildExport(platform, ownCaller(processRef('national-export', id)), id, signal))),
  };
}
