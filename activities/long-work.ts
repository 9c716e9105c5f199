import { agreementProcess, makeAgreement } from '../src/areas/agreements/index.ts';
import { applicationProcess, makeCertificate } from '../src/areas/applications/index.ts';
import { makeNextEdition, statusListProcess } from '../src/areas/credentials/index.ts';
import { buildExport, nationalExportProcess } from '../src/areas/national/index.ts';
import { accountErasureProcess, accountExportProcess, buildAccountExport, eraseAccount } from '../src/areas/privacy/index.ts';
import { sendChanges, webhookProcess } from '../src/areas/webhooks/index.ts';
import type { Caller } from '../src/platform/commands/context.ts';
import type { Platform } from '../src/platform/platform.ts';
import { processRef } from '../src/platform/workflows/process-ref.ts';
import type { ProcessContract } from '../workflows/contracts/process.contract.ts';
import { ownCaller } from './execute.ts';
import { heartbeating } from './heartbeating.ts';
import { logFailure } from './log-failure.ts';
import { retryLater } from './retry-later.ts';
import { recordFailure } from './troubles.ts';

/**
 * Long work on a record, such as generating its file. Idempotent.
 * @param signal aborts when the work is cancelled or the worker stops
 */
type LongWork = (platform: Platform, caller: Caller, id: number, signal: AbortSignal) => Promise<void>;

/** Long work of processes, such as generating files, named as in their contracts. */
export function createLongWork(platform: Platform) {
  function makes({ contract }: { contract: ProcessContract & Required<Pick<ProcessContract, 'longWork'>> }, make: LongWork) {
    return (id: number): Promise<void> => {
      const own = processRef(contract.kind, id);
      const work = () => retryLater(() => heartbeating((signal) => make(platform, ownCaller(own), id, signal)));
      return recordFailure(platform, { process: own, step: contract.longWork.activity, isLong: true }, () =>
        logFailure(platform, own, work()),
      );
    };
  }
  return {
    /** Generates and stores an agreement's PDF, or restores it. Fails permanently with `cannot_be_made` when the record prevents it. */
    makeAgreement: makes(agreementProcess, makeAgreement),
    /** Generates and stores the certificate's PDF. Fails permanently with `cannot_be_made` when the record prevents it. */
    makeCertificate: makes(applicationProcess, makeCertificate),
    /** Makes the next edition of a status list. */
    makeStatusList: makes(statusListProcess, makeNextEdition),
    /** Sends a webhook what is due. */
    sendChanges: makes(webhookProcess, sendChanges),
    /** Generates and stores an export's file, or marks the export as failed when its records prevent it. Resumes an interrupted attempt. */
    buildNationalExport: makes(nationalExportProcess, buildExport),
    /** Generates and stores the archive of an account's data. */
    buildAccountExport: makes(accountExportProcess, buildAccountExport),
    /** Takes a person out of all records and removes the bytes of the files. Resumes an interrupted attempt. */
    eraseAccount: makes(accountErasureProcess, eraseAccount),
  };
}
