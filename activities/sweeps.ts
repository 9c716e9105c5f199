import { clearLeftovers } from '../src/accounts/index.ts';
import * as applicationSweep from '../src/applications/sweep.ts';
import * as documentSweep from '../src/documents/sweep.ts';
import { purgeDeletedFiles } from '../src/files/index.ts';
import { commit, read } from '../src/platform/command.ts';
import { causeOf } from '../src/platform/log.ts';
import type { Platform } from '../src/platform/platform.ts';
import { processRef } from '../src/platform/process-ref.ts';
import * as profileSweep from '../src/profiles/sweep.ts';
import * as invoiceSweep from '../src/wallet/sweep.ts';
import { reconsiderUpdate } from '../workflows/process.contract.ts';
import { asFailure } from './errors.ts';
import { heartbeating } from './heartbeating.ts';

/** Kinds of record that the sweeper looks after. */
export type SweptKind = 'application' | 'document' | 'invoice' | 'profile';

const sweeps = { application: applicationSweep, document: documentSweep, invoice: invoiceSweep, profile: profileSweep } as const;
const pageSize = 100;
const atOnce = 8;

/** The sweeper's steps (design.md "Processes"): each may be cut off and run again at any point, since it only says "look again". */
export function createSweepActivities(platform: Platform) {
  /** Walks the ids of a listing page by page, a few records at once. */
  async function drive(
    list: (afterId: number) => Promise<number[]>,
    isWanted: (id: number) => boolean | Promise<boolean>,
    kind: SweptKind,
    requestId: string,
  ): Promise<number> {
    let driven = 0;
    for (let afterId = 0; ;) {
      const ids = await list(afterId);
      const last = ids.at(-1);
      if (last === undefined) return driven;
      await Promise.all(
        Array.from({ length: atOnce }, async () => {
          for (let id = ids.shift(); id !== undefined; id = ids.shift()) {
            if (!(await isWanted(id))) continue;
            driven += 1;
            await lookAgain(kind, id, requestId);
          }
        }),
      );
      afterId = last;
    }
  }

  /** One record that cannot be driven must not hold up the others; the next sweep meets it again. */
  async function lookAgain(kind: SweptKind, id: number, requestId: string): Promise<void> {
    try {
      await platform.processes.ask(processRef(kind, id), reconsiderUpdate, requestId);
    } catch (error) {
      platform.log.error({ process: processRef(kind, id), cause: causeOf(error) }, 'the sweeper could not drive a process');
    }
  }

  return {
    /** Drives every record of a kind that the clock has made due. @returns how many */
    async sweepDue(kind: SweptKind, input: { requestId: string }): Promise<number> {
      try {
        const list = (afterId: number) => read(platform, (em, now) => sweeps[kind].findDue(em, now, afterId, pageSize));
        return await heartbeating(() => drive(list, () => true, kind, input.requestId));
      } catch (error) {
        throw asFailure(error);
      }
    },

    /** Starts the process of every live record that has none. @returns how many were missing */
    async sweepOrphans(kind: SweptKind, input: { requestId: string }): Promise<number> {
      try {
        return await heartbeating(async () => {
          const running = new Set<string>();
          for await (const workflowId of platform.processes.listRunning(kind)) running.add(workflowId);
          const list = (afterId: number) => read(platform, (em) => sweeps[kind].findLive(em, afterId, pageSize));
          // What began after the listing, or just before it, is not in it: on a busy day that is a burst of processes each minute.
          const isMissing = async (id: number) => {
            const process = processRef(kind, id);
            return !running.has(process) && (await platform.processes.describe(process))?.status !== 'running';
          };
          return drive(list, isMissing, kind, input.requestId);
        });
      } catch (error) {
        throw asFailure(error);
      }
    },

    /** Closes secrets past their time, forgets old sessions, receipts and private inputs, removes the bytes of deleted files. */
    async sweepLeftovers({ requestId }: { requestId: string }): Promise<number> {
      try {
        return await heartbeating(async () => {
          const { result } = await commit(platform, { actor: { kind: 'process' }, requestId, ip: null }, clearLeftovers);
          return result + (await purgeDeletedFiles(platform));
        });
      } catch (error) {
        throw asFailure(error);
      }
    },
  };
}
