import { databaseOf } from '../../src/platform/database/database.ts';
import type { TestClient } from '../support/client.ts';
import { setList } from '../support/factories/national-lists.ts';
import { waitFor } from '../support/wait-for.ts';
import type { Scenario, Stage } from './scenarios.ts';

/** The print list of the administrator with one certificate of a new account. */
async function listOne({ make, administrator, platform }: Stage): Promise<{ owner: TestClient; ids: number[]; profileId: number }> {
  const owner = await make.person();
  const { id, profileId } = await make.application(owner, { status: 'approved' });
  await setList(platform, administrator.userId, 'print', [id]);
  return { owner, ids: [id], profileId };
}

const exportPrint = ({ administrator }: Stage, ids: readonly number[]) => administrator.post('/admin/national/lists/print/export', { ids });

export const nationalScenarios: Scenario[] = [
  {
    workflowType: 'nationalExport',
    name: 'photo-that-is-lost',
    async play(stage) {
      const { administrator } = stage;
      const { owner, ids, profileId } = await listOne(stage);
      const { photo_id: photoId } = owner.expect(200, await owner.get(`/profiles/${profileId}`)).body.data;
      const db = databaseOf(stage.platform.orm.em.fork());
      const { storageKey } = await db.selectFrom('files').select('storageKey').where('id', '=', photoId).executeTakeFirstOrThrow();
      await stage.platform.storage.delete(storageKey);
      const { export_id: id } = administrator.expect(422, await exportPrint(stage, ids)).body.error.details;
      return `national-export/${id}`;
    },
  },
  {
    workflowType: 'nationalExport',
    name: 'made-and-deleted',
    async play(stage) {
      const { administrator } = stage;
      const { ids } = await listOne(stage);
      const { id } = administrator.expect(201, await exportPrint(stage, ids)).body.data;
      const process = async () => (await administrator.get(`/admin/national/exports/${id}`)).body.data.process;
      await waitFor(process, ({ waiting_for }) => waiting_for === 'date', 'the process to wait');
      const now = Date.parse((await administrator.get('/sandbox/clock')).body.data.now);
      await stage.travelTo(new Date(now + 30 * 86_400_000 + 60_000).toISOString());
      return `national-export/${id}`;
    },
  },
];
