import type { Area } from '../../http/define-area.ts';
import { beforeCommit } from '../../platform/before-commit.ts';
import { extend } from '../../platform/extensions.ts';
import { writeChanges } from './changed-records.ts';
import { changeRoutes } from './routes.ts';

/** The log of changes: the facts of all records in one order, for programs that follow the registry. */
export const changesArea: Area = {
  processes: [],
  extensions: [extend(beforeCommit, writeChanges)],
  routes: () => changeRoutes,
};

export { changedRecords, type ChangedRecord, no } from './changed-records.ts';
export { keepChangePartitions } from './keep-partitions.ts';
export { sentChanges } from './wire.ts';
