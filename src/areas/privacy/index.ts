import type { Area } from '../../http/define-area.ts';
import { extend } from '../../platform/extensions.ts';
import { impersonalRecords, personalRecords } from '../../platform/personal-data.ts';
import { type ChangedRecord, changedRecords, nullColumn } from '../changes/index.ts';
import { fileDependents } from '../files/index.ts';
import { notificationKinds } from '../notifications/index.ts';
import { accountExportProcess, archiveDependents } from './exports/process.ts';
import { accountExportRoutes } from './exports/routes.ts';
import { privacyNotifications } from './notifications.ts';
import { privacyRecords } from './personal-data.ts';
import { platformImpersonalRecords } from './platform-data.ts';

/** Exports in the log of changes. */
const privacyChanges: readonly ChangedRecord[] = [
  {
    record: 'account_export',
    select: (db) =>
      db.selectFrom('account_exports as e').select(['e.id', 'e.status', 'e.userId as ownerId', nullColumn.organizer, nullColumn.parent]),
    path: ({ id }) => `/account/exports/${id}`,
  },
];

/** What a person may do with their own data: take them along. */
export const privacyArea: Area = {
  processes: [accountExportProcess],
  extensions: [
    extend(notificationKinds, privacyNotifications),
    extend(changedRecords, privacyChanges),
    extend(fileDependents, archiveDependents),
    extend(personalRecords, privacyRecords),
    extend(impersonalRecords, platformImpersonalRecords),
  ],
  routes: () => accountExportRoutes,
};

export { buildAccountExport } from './exports/build-export.ts';
export { accountExportProcess } from './exports/process.ts';
