import type { Client } from 'pg';
import { type Position, readCursor, writeCursor } from '../../../src/areas/changes/cursor.ts';
import { readChanges } from '../../../src/areas/changes/read-changes.ts';
import { useDatabase } from '../../support/use-database.ts';
import { waitFor } from '../../support/wait-for.ts';

/** No reader misses a change, whatever commits late (CHG-2), and the partitions (CHG-4). */

const { owner, connect, db } = await useDatabase();

/** Writes as `writeChanges` does. */
const insertion = `insert into changes (place, id, at, action, subject_kind, subject_id, owner_id, organizer_id)
  select (select change_place()), nextval('change_numbers'), now(), $2, 'document', n, $3, $4
  from unnest($1::int[]) n`;
const insert = (
  client: Client,
  ids: readonly number[],
  { action = 'document.updated', ownerId = 1, organizerId = null as number | null } = {},
) => client.query(insertion, [ids, action, ownerId, organizerId]);

interface Options {
  limit?: number;
  userId?: number;
  actions?: readonly string[];
}

/** Reads a page, and goes through a written cursor as a client does. */
async function read(after: Position | null, { limit = 100, userId, actions }: Options = {}): Promise<{ ids: number[]; next: Position }> {
  const audience = userId === undefined ? 'all' : { userId };
  const { rows, next } = await readChanges(db(), { audience, after, limit, actions: actions ?? null, now: new Date() });
  const position = readCursor(writeCursor(next));
  if (position === null) throw new Error('unreadable cursor');
  return { ids: rows.map(({ subjectId }) => Number(subjectId)), next: position };
}

async function readUntil(after: Position, isEnough: (ids: readonly number[]) => boolean, options: Options = {}): Promise<number[]> {
  const ids: number[] = [];
  let place = after;
  const readOn = async () => {
    const page = await read(place, options);
    ids.push(...page.ids);
    place = page.next;
    return ids;
  };
  return waitFor(readOn, isEnough, 'changes');
}

describe('the order of changes (CHG-2)', () => {
  test('a reader misses nothing while fifty transactions of different length commit and roll back', async () => {
    const { next: start } = await read(null);
    const writers = await Promise.all(Array.from({ length: 12 }, () => connect()));
    const committed: number[] = [];
    let number = 0;
    let isWriting = true;
    const write = async (client: Client, seed: number) => {
      for (let turn = 0; turn < 10; turn += 1) {
        const random = ((seed * 31 + turn * 17) % 10) / 10;
        await client.query('begin');
        const ids: number[] = [];
        for (let part = 0; part < 1 + (turn % 3); part += 1) {
          const more = [(number += 1), (number += 1)];
          ids.push(...more);
          await insert(client, more);
          await new Promise((resolve) => void setTimeout(resolve, random * 40));
        }
        const isRolledBack = random > 0.7;
        await client.query(isRolledBack ? 'rollback' : 'commit');
        if (!isRolledBack) committed.push(...ids);
      }
    };
    const readers = [1, 7, 100].map(async (limit) => {
      const seen: number[] = [];
      let place = start;
      for (;;) {
        const isLast = !isWriting;
        const page = await read(place, { limit });
        seen.push(...page.ids);
        place = page.next;
        // Transactions of other test files in the same cluster delay the last changes.
        if (isLast && page.ids.length === 0 && seen.length >= committed.length) return seen;
        if (page.ids.length === 0) await new Promise((resolve) => void setTimeout(resolve, 5));
      }
    });
    await Promise.all(writers.map(write));
    isWriting = false;
    const [first, ...others] = await Promise.all(readers);
    expect(first?.toSorted((a, b) => a - b)).toEqual(committed.toSorted((a, b) => a - b));
    for (const seen of others) expect(seen).toEqual(first);
    // Loading the rows of another test file can take minutes.
  }, 300_000);

  test('a change waits for an older transaction that is still open', async () => {
    const [slow, quick] = [await connect(), await connect()];
    const { next: start } = await read(null);
    await slow.query('begin');
    await insert(slow, [9001]);
    await insert(quick, [9002]);
    const early = await read(start);
    expect(early.ids).toEqual([]);
    await slow.query('commit');
    expect(await readUntil(early.next, (ids) => ids.length >= 2)).toEqual([9001, 9002]);
  });

  test('a cursor of an idle reader moves on without changes', async () => {
    const { next } = await read(null);
    await insert(await connect(), [9010], { ownerId: 2 });
    await readUntil(next, (ids) => ids.includes(9010));
    const idle = await read(next, { userId: 3 });
    expect(idle.ids).toEqual([]);
    expect(idle.next.place).toBeGreaterThan(next.place);
  });

  test('a cursor continues in another cluster, whose transaction ids are smaller', async () => {
    const { next } = await read(null);
    const writer = await connect();
    await insert(writer, [9020]);
    const before = await readUntil(next, (ids) => ids.includes(9020));
    expect(before).toEqual([9020]);
    const { next: old } = await read(null);
    // As after a restore: the first transaction id of the era is far above those of this cluster.
    await owner.query('update change_eras set cluster = cluster + 1, first_xid = first_xid + 1000000');
    const { next: end } = await read(null);
    expect(end.place).toBeGreaterThan(old.place);
    // Two first transactions of the new cluster share one era.
    const other = await connect();
    await writer.query('begin');
    await insert(writer, [9021]);
    const waiting = insert(other, [9022]);
    await new Promise((resolve) => void setTimeout(resolve, 100));
    await writer.query('commit');
    await waiting;
    expect(await readUntil(old, (ids) => ids.length >= 2)).toEqual([9021, 9022]);
    expect(await readUntil(end, (ids) => ids.length >= 2)).toEqual([9021, 9022]);
    const { rows } = await owner.query('select count(*)::int as eras from change_eras');
    expect(rows).toEqual([{ eras: 2 }]);
  });
});

describe('the audience (CHG-3)', () => {
  test('has its own pages and types, in the same order', async () => {
    const { next: start } = await read(null);
    const client = await connect();
    for (let n = 0; n < 12; n += 1) {
      const action = n % 2 === 0 ? 'document.updated' : 'registration.submitted';
      await insert(client, [9100 + n], { action, ownerId: n % 3, organizerId: n % 3 === 1 ? 2 : null });
    }
    await readUntil(start, (ids) => ids.includes(9111));
    const pages = async (options: Options) => {
      const ids: number[] = [];
      let place = start;
      for (;;) {
        const page = await read(place, { limit: 2, ...options });
        ids.push(...page.ids);
        place = page.next;
        if (page.ids.length === 0) return ids;
      }
    };
    expect(await pages({})).toEqual([9100, 9101, 9102, 9103, 9104, 9105, 9106, 9107, 9108, 9109, 9110, 9111]);
    expect(await pages({ userId: 1 })).toEqual([9101, 9104, 9107, 9110]);
    expect(await pages({ userId: 2 })).toEqual([9101, 9102, 9104, 9105, 9107, 9108, 9110, 9111]);
    expect(await pages({ userId: 2, actions: ['registration.submitted'] })).toEqual([9101, 9105, 9107, 9111]);
    expect(await pages({ actions: ['registration.submitted', 'document.created'] })).toEqual([9101, 9103, 9105, 9107, 9109, 9111]);
  });
});

describe('partitions (CHG-4)', () => {
  const names = async () => {
    const { rows } = await owner.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'changes'::regclass order by 1`,
    );
    return rows.map(({ name }) => name);
  };

  test('are made ahead, and dropped ninety days after their end', async () => {
    await owner.query(`select keep_change_partitions('2031-03-15T10:00:00Z')`);
    expect(await names()).toEqual(
      ['2031_03', '2031_04', '2031_05'].map((month) => `partitions.changes_${month}`).concat('partitions.changes_rest'),
    );
    await owner.query(`select keep_change_partitions('2031-06-30T23:00:00Z')`);
    expect(await names()).toContain('partitions.changes_2031_03');
    await owner.query(`select keep_change_partitions('2031-07-02T23:00:00Z')`);
    expect(await names()).not.toContain('partitions.changes_2031_03');
  });

  test('a change without a partition is kept, and read', async () => {
    const { next } = await read(null);
    await insert(await connect(), [9200]);
    expect(await readUntil(next, (ids) => ids.length > 0)).toEqual([9200]);
    // Its month is not made over it.
    await expect(owner.query('select keep_change_partitions(now())')).resolves.toBeDefined();
    expect(await readUntil(next, (ids) => ids.length > 0)).toEqual([9200]);
  });
});
