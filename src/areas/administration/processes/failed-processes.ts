import { registryInstant } from '../../../platform/clock.ts';
import { query } from '../../../platform/command.ts';
import { causeOf } from '../../../platform/log.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { ProcessRef } from '../../../platform/process-ref.ts';
import type { Work } from './find-processes.ts';
import type { Failure } from './standing.ts';

/** Most workflows that are read for each outcome, newest first. */
const mostLookedAt = 200;

export const nothingFailed: ReadonlyMap<ProcessRef, Failure> = new Map();

/** Workflows that ended without completing. */
export interface Failures {
  byProcess: ReadonlyMap<ProcessRef, Failure>;
  /** Whether there may be more. */
  isCapped: boolean;
}

/**
 * Lists the failed workflows of records, which only Temporal knows (ADM-3).
 * @throws {DomainError} workflow_unavailable
 */
export async function listFailures(platform: Platform, processes: readonly Work[]): Promise<Failures> {
  const types = [...new Set(processes.flatMap((work) => (work.type === 'record' ? [work.workflow] : [])))];
  if (types.length === 0) return { byProcess: nothingFailed, isCapped: false };
  const { failed, isWhole } = await platform.processes.listFailed(types, mostLookedAt);
  const byProcess = new Map<ProcessRef, Failure>();
  for (const { process: ref, outcome, endedAt } of failed)
    byProcess.set(ref, { outcome, endedAt: await query(platform, (db) => registryInstant(platform.clock, db, endedAt)) });
  return { byProcess, isCapped: !isWhole };
}

/** Lists the failed workflows of records; null while Temporal is unavailable, so that reads go on (API-10). */
export async function listFailuresIfKnown(platform: Platform, processes: readonly Work[]): Promise<Failures | null> {
  try {
    return await listFailures(platform, processes);
  } catch (error) {
    platform.log.warn({ cause: causeOf(error) }, 'failed processes could not be listed');
    return null;
  }
}
