import { createClient } from '../../client/src/index.ts';
import { answer, refuse, type Script, startScriptedServer } from '../support/outside-servers/scripted-server.ts';

/** Lists and the log of changes, page after page. */

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

async function clientOf(...scripts: [Script, ...Script[]]) {
  const server = await startScriptedServer(...scripts);
  opened.push(server.close);
  return { client: createClient({ baseUrl: server.url }), urls: () => server.received.map(({ url }) => url.replace('/api/v1', '')) };
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const change = (id: string) => ({ id, type: 'registry.profile.created.v1' });
const idsOf = (items: readonly { id: unknown }[]) => items.map(({ id }) => id);

test.each([
  ['a page that is not full', [{ id: 3 }], [1, 2, 3]],
  ['an empty page', [], [1, 2]],
])('numbered pages end with %s', async (_what, last, ids) => {
  const meta = { limit: 2, total: 2 };
  const { client, urls } = await clientOf(answer([{ id: 1 }, { id: 2 }], { ...meta, page: 1 }), answer(last, { ...meta, page: 2 }));
  const query = { status: 'draft', limit: 2 } as const;
  expect(idsOf(await collect(client.list('/applications', { params: { query } })))).toEqual(ids);
  expect(urls()).toEqual(['/applications?status=draft&limit=2', '/applications?status=draft&limit=2&page=2']);
});

test('a list without pages is one request', async () => {
  const { client, urls } = await clientOf(answer([{ id: 1 }], { total: 1 }));
  expect(idsOf(await collect(client.list('/profiles')))).toEqual([1]);
  expect(urls()).toEqual(['/profiles']);
});

test('pages with cursors end where there is no next one', async () => {
  const { client, urls } = await clientOf(answer([{ status: 200 }], { next: 9 }), answer([{ status: 404 }], { next: null }));
  const requests = await collect(client.list('/api-keys/{id}/requests', { params: { path: { id: 4 } } }));
  expect(requests.map(({ status }) => status)).toEqual([200, 404]);
  expect(urls()).toEqual(['/api-keys/4/requests', '/api-keys/4/requests?after=9']);
});

test('a refusal of a later page is thrown', async () => {
  const { client } = await clientOf(answer([{ id: 1 }], { page: 1, limit: 1 }), refuse(401, 'unauthenticated'));
  await expect(collect(client.list('/applications'))).rejects.toMatchObject({ code: 'unauthenticated' });
});

describe('changes', () => {
  test('come over pages and waits, and their cursor is saved once they are handled', async () => {
    const pages = [
      answer([], { next: 'a' }),
      answer([change('1'), change('2')], { next: 'b' }),
      answer([change('3')], { next: 'c' }),
      answer([], { next: 'd' }),
    ];
    const { client, urls } = await clientOf(pages[0] as Script, ...pages.slice(1));
    const end = new AbortController();
    const log: string[] = [];
    const saveCursor = (cursor: string) => {
      log.push(`saved ${cursor}`);
      if (cursor === 'd') end.abort();
    };
    for await (const { id } of client.changes({
      types: ['registry.profile.*', 'registry.photo.*'],
      pauseMs: 1,
      saveCursor,
      signal: end.signal,
    }))
      log.push(id);
    expect(log).toEqual(['saved a', '1', '2', 'saved b', '3', 'saved c', 'saved d']);
    const types = 'types=registry.profile.*%2Cregistry.photo.*';
    expect(urls()).toEqual([`/changes?${types}`, ...['a', 'b', 'c'].map((cursor) => `/changes?after=${cursor}&${types}`)]);
  });

  test('a program continues after its cursor, and receives an unfinished page again', async () => {
    const { client, urls } = await clientOf(answer([change('1'), change('2')], { next: 'b' }));
    const saved: string[] = [];
    for await (const { id } of client.changes({ after: 'a', saveCursor: (cursor) => saved.push(cursor) })) if (id === '2') break;
    expect([saved, urls()]).toEqual([[], ['/changes?after=a']]);
  });

  test('a signal ends a wait without an error', async () => {
    const { client } = await clientOf(answer([], { next: 'a' }));
    const end = new AbortController();
    const saveCursor = () => setTimeout(() => end.abort(), 20);
    expect(await collect(client.changes({ signal: end.signal, saveCursor }))).toEqual([]);
    expect(await collect(client.changes({ signal: end.signal }))).toEqual([]);
  });

  test('an expired cursor is thrown', async () => {
    const { client } = await clientOf(refuse(410, 'cursor_expired'));
    await expect(collect(client.changes({ after: 'old' }))).rejects.toMatchObject({ code: 'cursor_expired', status: 410 });
  });
});
