import type { Platform } from '../src/platform/platform.ts';
import { createAccountActivities } from './accounts.ts';
import { createApplicationActivities } from './applications.ts';
import { createDocumentActivities } from './documents.ts';
import { createInvoiceActivities } from './invoices.ts';
import { createProfileActivities } from './profiles.ts';
import { createSweepActivities } from './sweeps.ts';

/** Every activity of every process, bound to what it needs from outside. */
export function createActivities(platform: Platform) {
  return {
    ...createAccountActivities(platform),
    ...createApplicationActivities(platform),
    ...createDocumentActivities(platform),
    ...createInvoiceActivities(platform),
    ...createProfileActivities(platform),
    ...createSweepActivities(platform),
  };
}
export type Activities = ReturnType<typeof createActivities>;
