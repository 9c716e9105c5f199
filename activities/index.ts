import { invoiceProcess } from '../src/areas/wallet/index.ts';
import type { Platform } from '../src/platform/platform.ts';
import { refOf } from '../src/platform/workflows/define-process.ts';
import { reconsiderStep, outsideReconsiderStep } from '../src/platform/workflows/process-troubles.ts';
import { executeInternal, executeOnce } from './execute.ts';
import { createLongWork } from './long-work.ts';
import { createInvoiceActivities } from './invoices.ts';
import { createMaintenanceActivities } from './maintenance.ts';
import { createSecretActivities } from './secrets.ts';
import { logFailure } from './log-failure.ts';
import { recordFailure } from './troubles.ts';

/**
 * Creates all activities of the platform: the steps of processes (`<kind>.<command>`, `<kind>.reconsider`), and by name the work that is
 * long or leaves the database.
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
        `${definition.kind}.${reconsiderStep}`,
        (id: number) => {
          const own = refOf(definition, id);
          return recordFailure(platform, { process: own, step: reconsiderStep }, () =>
            logFailure(platform, own, executeInternal(platform, definition, id)),
          );
        },
      ],
      ...definition.commands.map((handler) => [
        `${definition.kind}.${handler.name}`,
        (id: number, command: Parameters<typeof executeOnce>[4]) =>
          logFailure(platform, refOf(definition, id), executeOnce(platform, definition, handler, id, command)),
      ]),
    ]),
  );
}

function createBankQuestions(platform: Platform) {
  const { verifyInvoice, reconcileInvoice } = createInvoiceActivities(platform);
  return {
    verifyInvoice,
    reconcileInvoice: (id: number) =>
      recordFailure(platform, { process: refOf(invoiceProcess, id), step: outsideReconsiderStep }, () => reconcileInvoice(id)),
  };
}
