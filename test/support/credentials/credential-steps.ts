import { readStatusList } from './status-list.ts';
import type { Fixtures } from '../factories.ts';
import type { TestClient } from '../client.ts';
import type { TestApi } from '../test-api.ts';
import { waitFor } from '../wait-for.ts';

/** Issues certificates and reads their status in the list. @param make makes members of this API */
export function credentialSteps(api: TestApi, make: Fixtures<TestClient>) {
  const placeOf = async (id: number) =>
    (await api.sql<{ place: number }>('select place from credentials where application_id = $1', [id]))[0]?.place ?? -1;
  const statusOf = async (id: number) => (await readStatusList(api.url))?.statusAt(await placeOf(id));
  const editionOf = async () =>
    (
      await api.sql<{ edition: number; waiting: boolean }>(
        'select edition, exists (select from status_list_changes) as waiting from status_lists where id = 1',
      )
    )[0];
  return {
    /** The edition of the first list, and whether changes wait for the next. */
    editionOf,
    /** Waits until no change waits for an edition. */
    current: () => waitFor(editionOf, (list) => list !== undefined && list.edition > 0 && !list.waiting, 'the list to be current'),
    /** Returns a member with an approved application. */
    async issued() {
      const owner = await api.user();
      const { id } = await make.application(owner, { status: 'approved' });
      const {
        verification_url: page,
        revision,
        document_ids: documents,
      } = owner.expect(200, await owner.get(`/applications/${id}`)).body.data;
      return { owner, id, page, revision, documents };
    },
    /** The status of an application in the latest edition; undefined before the first. */
    statusOf,
    /** Waits for an edition with that status of an application. */
    listed: (id: number, status: number) =>
      waitFor(
        () => statusOf(id),
        (seen) => seen === status,
        `status ${status} of application ${id}`,
      ),
  };
}
