import { errorCode } from '../../src/platform/logging/error-code.ts';
import { fixturesOf } from '../support/factories.ts';
import { useRegistry } from '../support/use-registry.ts';

const { api } = await useRegistry();

/** Columns that every step of an application uses, each with another type for the same values. */
const columns = [
  ['profiles', 'name', 'varchar(500)', 'text'],
  ['documents', 'number', 'varchar(200)', 'text'],
  ['documents', 'type', 'varchar(100)', 'text'],
  ['applications', 'review_note', 'varchar(4000)', 'text'],
  ['applications', 'discipline_id', 'bigint', 'int'],
  ['certificates', 'number', 'varchar(100)', 'text'],
  ['files', 'size', 'bigint', 'int'],
] as const;

/** The minimum of applications and reviews during the changes, and the rounds of changes on a slow machine. */
const [enough, mostRounds] = [5, 60];

/** Like in a rolling release: the new release has migrated, the old one still serves. */
test('a release that changes column types causes no error in running APIs and workers', async () => {
  const make = fixturesOf(api);
  const administrator = await api.administrator();
  const owner = await api.user();
  const { profileId, documentIds } = await make.athlete(owner);
  const migration = { isOver: false };
  const statuses: Record<string, number> = {};
  const note = (what: string, { status }: { status: number }) => {
    statuses[`${what} ${status}`] = (statuses[`${what} ${status}`] ?? 0) + 1;
  };
  /** Makes one application after another, each with reads and commands. */
  const live = async () => {
    while (!migration.isOver) {
      const body = { profile_id: profileId, service_id: 1, document_ids: documentIds, data: {} };
      const opened = await owner.post('/applications', body);
      note('open', opened);
      const id: number = opened.body.data?.id;
      note('submit', await owner.post(`/applications/${id}/submit`));
      note('read', await owner.get(`/applications/${id}`));
      note('list', await owner.get('/applications'));
      note('cancel', await owner.post(`/applications/${id}/cancel`, { reason: 'The next one is better.' }));
    }
  };
  const review = async () => {
    while (!migration.isOver) {
      const id = await make.document(owner, profileId, { type: 'identity' });
      note('review', await administrator.post('/admin/review', { kind: 'document', id, decision: 'approve' }));
      note('document', await owner.get(`/documents/${id}`));
    }
  };
  /** PostgreSQL may abort the migration because of a deadlock with commands. The operator then runs it again. */
  const retype = async (statement: string): Promise<void> => {
    for (let attempt = 1; ; attempt += 1)
      try {
        await api.sql(statement);
        return;
      } catch (error) {
        if (attempt === 5 || errorCode(error) !== '40P01') throw error;
      }
  };
  const migrate = async () => {
    try {
      const isEnough = () => (statuses['cancel 200'] ?? 0) >= enough && (statuses['review 200'] ?? 0) >= enough;
      for (let round = 0; (round < 3 || !isEnough()) && round < mostRounds; round += 1)
        for (const index of [2, 3] as const)
          for (const column of columns) {
            const [table, name] = column;
            await retype(`alter table ${table} alter column ${name} type ${column[index]}`);
          }
    } finally {
      migration.isOver = true;
    }
  };
  await Promise.all([live(), review(), migrate()]);
  const wrong = Object.entries(statuses).filter(([what]) => !/ 20[01]$/.test(what));
  expect(wrong).toEqual([]);
  expect(statuses['cancel 200']).toBeGreaterThanOrEqual(enough);
  expect(statuses['review 200']).toBeGreaterThanOrEqual(enough);
});
