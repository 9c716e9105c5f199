import type { Area } from '../../http/define-area.ts';
import { beforeCommit, repeatChecks } from '../../platform/commands/command.ts';
import { extend } from '../../platform/extensions.ts';
import { impersonalRecords, personalRecords } from '../../platform/personal-data.ts';
import { checkStanding, writeChanges } from './changed-records.ts';
import { changesImpersonalRecords, changesRecords } from './personal-data.ts';
import { changeRoutes } from './routes.ts';

/** The log of changes: the facts of all records in one order, for programs that follow the registry. */
export const changesArea: Area = {
  processes: [],
  extensions: [
    extend(beforeCommit, writeChanges),
    extend(repeatChecks, checkStanding),
    extend(personalRecords, changesRecords),
    extend(impersonalRecords, changesImpersonalRecords),
  ],
  routes: () => changeRoutes,
};

export { changedRecords, type ChangedRecord, nullColumn } from './changed-records.ts';
export { cursor, keptDays as changeDays, type Position } from './cursor.ts';
export { keepChangePartitions } from './keep-partitions.ts';
export { type Audience, readChanges, requireInLog } from './read-changes.ts';
export { actionsOf, testType } from './types.ts';
export { hasSettled, markPresent, selectUnread, stopWaiting, waitForChanges } from './waiters.ts';
export { changeMediaType, isOwnChange, presentChange, sentChanges } from './wire.ts';
