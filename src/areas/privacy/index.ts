import type { Area } from '../../http/define-area.ts';
import { extend } from '../../platform/extensions.ts';
import { impersonalRecords, personalRecords } from '../../platform/personal-data.ts';
import { type ChangedRecord, changedRecords, nullColumn } from '../changes/index.ts';
import { fileDependents } from '../files/index.ts';
import { notificationKinds } from '../notifications/index.ts';
import { accountErasureProcess } from './erasure/process.ts';
import { accountErasureRoutes } from './erasure/routes.ts';
import { accountExportProcess, archiveDependents } from './exports/process.ts';
import { accountExportRoutes } from './exports/routes.ts';
import { privacyNotifications } from './notifications.ts';
import { privacyRecords } from './personal-data.ts';
import { platformImpersonalRecords } from './platform-data.ts';

/** Exports and erasures in the log of changes. */
const privacyChanges: readonly ChangedRecord[] = [
  {
    record: 'account_export',
    select: (db) =>
      db.selectFrom('account_exports as e').select(['e.id', 'e.status', 'e.userId as ownerId', nullColumn.organizer, nullColumn.parent]),
    path: ({ id }) => `/account/exports/${id}`,
  },
  {
    record: 'account_erasure',
    select: (db) =>
      db.selectFrom('account_erasures as e').select(['e.id', 'e.status', 'e.id as ownerId', nullColumn.organizer, nullColumn.parent]),
    path: () => '/account/erasure',
  },
];

/** What a person may do with their own data: take them along, and have them erased. */
export const privacyArea: Area = {
  processes: [accountExportProcess, accountErasureProcess],
  extensions: [
    extend(notificationKinds, privacyNotifications),
    extend(changedRecords, privacyChanges),
    extend(fileDependents, archiveDependents),
    extend(personalRecords, privacyRecords),
    extend(impersonalRecords, platformImpersonalRecords),
  ],
  routes: () => [...accountExportRoutes, ...accountErasureRoutes],
};

export { type ExportRecord, findLastExport } from './exports/queries.ts';
export { exportStateResponse, presentExportState } from './exports/wire.ts';
export { eraseAccount } from './erasure/erase-account.ts';
export { eraseAgain } from './erasure/erase-again.ts';
export { accountErasureProcess } from './erasure/process.ts';
export { buildAccountExport } from './exports/build-export.ts';
export { accountExportProcess } from './exports/process.ts';
