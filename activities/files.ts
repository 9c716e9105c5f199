import { agreementProcess, makeAgreement } from '../src/areas/agreements/index.ts';
import { applicationProcess, makeCertificate } from '../src/areas/applications/index.ts';
import { buildExport, nationalExportProcess } from '../src/areas/national/index.ts';
import type { Caller } from '../src/platform/context.ts';
import type { Platform } from '../src/platform/platform.ts';
import { processRef } from '../src/platform/process-ref.ts';
import type { ProcessContract } from '../workflows/process.contract.ts';
import { ownCaller } from './execute.ts';
import { heartbeating } from './heartbeating.ts';
import { told } from './told.ts';
import { triedLater } from './tried-later.ts';
import { watched } from './troubles.ts';

/**
 * Makes and stores the file of a record.
 * @param signal aborts when the work is cancelled or this worker stops
 */
type MakeFile = (platform: Platform, caller: Caller, id: number, signal: AbortSignal) => Promise<void>;

/** Long work of processes that makes files, named as in their contracts. */
export function createFileActivities(platform: Platform) {
  function makes({ contract }: { contract: ProcessContract & Required<Pick<ProcessContract, 'longWork'>> }, make: MakeFile) {
    return (id: number): Promise<void> => {
      const own = processRef(contract.kind, id);
      const work = () => triedLater(() => heartbeating((signal) => make(platform, ownCaller(own), id, signal)));
      return watched(platform, { process: own, step: contract.longWork.activity, isLong: true }, () => told(platform, own, work()));
    };
  }
  return {
    /** Draws and stores an agreement's PDF, or restores it. Fails for good with `cannot_be_made` when the record makes it impossible. */
    makeAgreement: makes(agreementProcess, makeAgreement),
    /** Draws and stores the certificate's PDF. Fails for good with `cannot_be_made` when the record makes it impossible. */
    makeCertificate: makes(applicationProcess, makeCertificate),
    /** Makes and stores an export's file, or marks the export as failed when its records make it impossible. Each attempt starts again. */
    buildNationalExport: makes(nationalExportProcess, buildExport),
  };
}
