import { invoiceProcess } from '../src/areas/wallet/index.ts';
import type { Platform } from '../src/platform/platform.ts';
import { refOf } from '../src/platform/workflows/define-process.ts';
import { lookStep, outsideLookStep } from '../src/platform/workflows/process-troubles.ts';
import { executeInternal, executeOnce } from './execute.ts';
import { createFileActivities } from './files.ts';
import { createInvoiceActivities } from './invoices.ts';
import { createMaintenanceActivities } from './maintenance.ts';
import { createSecretActivities } from './secrets.ts';
import { told } from './told.ts';
import { watched } from './troubles.ts';

/**
 * All activities, bound to the platform: the steps of processes from their definitions, `<kind>.<command>` and `<kind>.reconsider`; by name
 * the work that leaves the database or takes long.
 */
export function createActivities(platform: Platform) {
  return {
    ...createSteps(platform),
    ...createFileActivities(platform),
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

function createBankQuestions(platform: Platform) {
  const { verifyInvoice, reconcileInvoice } = createInvoiceActivities(platform);
  return {
    verifyInvoice,
    reconcileInvoice: (id: number, input: Parameters<typeof reconcileInvoice>[1]) =>
      watched(platform, { process: refOf(invoiceProcess, id), step: outsideLookStep }, () => reconcileInvoice(id, input)),
  };
}
