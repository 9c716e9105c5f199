import { agreementProcess } from '../src/agreements/index.ts';
import { applicationProcess } from '../src/applications/index.ts';
import { nationalExportProcess } from '../src/national/index.ts';
import { deliveryProcess, sendStep } from '../src/notifications/index.ts';
import { causeOf } from '../src/platform/log.ts';
import type { Platform } from '../src/platform/platform.ts';
import type { ProcessRef } from '../src/platform/process-ref.ts';
import { refOf } from '../src/platform/workflows/define-process.ts';
import { lookStep, outsideLookStep } from '../src/platform/workflows/process-troubles.ts';
import { invoiceProcess } from '../src/wallet/index.ts';
import { createAgreementActivities } from './agreements.ts';
import { createCertificateActivities } from './certificates.ts';
import { unexpectedCauseOf } from './errors.ts';
import { executeInternal, executeOnce } from './execute.ts';
import { createInvoiceActivities } from './invoices.ts';
import { createMaintenanceActivities } from './maintenance.ts';
import { createNationalExportActivities } from './national-exports.ts';
import { createNotificationActivities } from './notifications.ts';
import { createSecretActivities } from './secrets.ts';
import { watched } from './troubles.ts';

/**
 * Every activity, bound to what it needs from outside: the steps of the processes, `<kind>.<command>` and `<kind>.reconsider`, from their
 * definitions; and by name what leaves the database or takes long.
 */
export function createActivities(platform: Platform) {
  return {
    ...createSteps(platform),
    ...createLongWork(platform),
    ...createBankQuestions(platform),
    ...createMaintenanceActivities(platform),
    ...createSecretActivities(platform),
  };
}
export type Activities = Omit<ReturnType<typeof createActivities>, number>;

function createSteps(platform: Platform): object {
  const records = platform.definitions.filter((definition) => definition.type === 'record');
  return Object.fromEntries(
    records.flatMap((definition) => [
      [
        `${definition.kind}.${lookStep}`,
        (id: number) => {
          const own = refOf(definition, id);
          return watched(platform, { process: own, step: lookStep }, () => told(platform, own, executeInternal(platform, definition, id)));
        },
      ],
      ...definition.commands.map((handler) => [
        `${definition.kind}.${handler.name}`,
        (id: number, command: Parameters<typeof executeOnce>[4]) =>
          told(platform, refOf(definition, id), executeOnce(platform, definition, handler, id, command)),
      ]),
    ]),
  );
}

function createLongWork(platform: Platform) {
  const { makeAgreement } = createAgreementActivities(platform);
  const { makeCertificate } = createCertificateActivities(platform);
  const { buildNationalExport } = createNationalExportActivities(platform);
  const { sendNotifications } = createNotificationActivities(platform);
  const long = (ref: ProcessRef, step: string, work: () => Promise<void>) =>
    watched(platform, { process: ref, step, isLong: true }, () => told(platform, ref, work()));
  return {
    makeAgreement: (id: number) => long(refOf(agreementProcess, id), 'makeAgreement', () => makeAgreement(id)),
    makeCertificate: (id: number) => long(refOf(applicationProcess, id), 'makeCertificate', () => makeCertificate(id)),
    buildNationalExport: (id: number) => long(refOf(nationalExportProcess, id), 'buildNationalExport', () => buildNationalExport(id)),
    // What is away is no trouble any more once all channels take again, which the round itself knows.
    sendNotifications: (id: number, input: Parameters<typeof sendNotifications>[1]) => {
      const own = refOf(deliveryProcess, id);
      return watched(platform, { process: own, step: sendStep }, () => told(platform, own, sendNotifications(id, input)));
    },
  };
}

function createBankQuestions(platform: Platform) {
  const { verifyInvoice, reconcileInvoice } = createInvoiceActivities(platform);
  return {
    verifyInvoice,
    reconcileInvoice: (id: number, input: Parameters<typeof reconcileInvoice>[1]) =>
      watched(platform, { process: refOf(invoiceProcess, id), step: outsideLookStep }, () => reconcileInvoice(id, input)),
  };
}

/** A history says only that a step failed; why is for the log. */
async function told<T>(platform: Platform, ref: ProcessRef, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (failure) {
    const err = unexpectedCauseOf(failure);
    if (err !== undefined) platform.log.warn({ process: ref, err, cause: causeOf(err) }, 'a step failed');
    throw failure;
  }
}
