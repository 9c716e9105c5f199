import ICAL from 'ical.js';
import { commit } from '../../../src/platform/commands/command.ts';
import type { CommandContext } from '../../../src/platform/commands/context.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import type { TestClient } from '../../support/client.ts';
import { countStatementsOfRead } from '../../support/count-statements.ts';
import { fixturesIn } from '../../support/factories.ts';
import { publicEventsIn } from '../../support/factories/public-events.ts';
import { waitForLock } from '../../support/wait-for.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api } = await useRegistry();
let anyone: TestClient;
let make: ReturnType<typeof publicEventsIn>;
let club: { ownerId: number; profileId: number };

beforeAll(async () => {
  await api.stopWorkers();
  anyone = api.browser();
  make = publicEventsIn(databaseOf(api.platform.orm.em.fork()), api.platform.storage);
  club = await make.organizer('Қостанай автоклубы');
});

const at = (day: string) => new Date(`${day}T09:00:00+05:00`);

async function titles(query: string): Promise<string[]> {
  const { body } = anyone.expect(200, await anyone.get(`/events/public?${query}`));
  return body.data.map(({ title }: { title: string }) => title);
}

describe('the list', () => {
  beforeAll(async () => {
    await make.event(club, { title: 'Үлкен Дала ралли', location: 'Өскемен', startsAt: at('2027-05-02'), endsAt: at('2027-05-04') });
    await make.event(club, { title: 'Ёлка-трофи №5', location: 'г.Семей', startsAt: at('2027-05-01'), disciplineId: 5 });
    await make.event(club, { title: 'Отменённая гонка', startsAt: at('2027-05-03'), status: 'cancelled', cancelledAt: new Date() });
    await make.event(club, { title: 'Прошедшая гонка', startsAt: at('2027-04-30'), status: 'completed' });
    await make.event(club, { title: 'Черновик', startsAt: at('2027-05-02'), status: 'in_progress', publishedAt: null });
    await make.event(club, { title: 'Отменённый черновик', startsAt: at('2027-05-02'), status: 'cancelled', publishedAt: null });
  });

  // EVT-11, EVT-17
  test('lists published events by start, and no others', async () => {
    const { body } = anyone.expect(200, await anyone.get('/events/public?from=2027-04-30&to=2027-05-31'));
    expect(body.meta).toEqual({ total: 4, page: 1, limit: 20 });
    expect(body.data.map(({ title, status }: Record<string, string>) => [title, status])).toEqual([
      ['Прошедшая гонка', 'completed'],
      ['Ёлка-трофи №5', 'published'],
      ['Үлкен Дала ралли', 'published'],
      ['Отменённая гонка', 'cancelled'],
    ]);
    expect(body.data[2]).toEqual({
      id: expect.any(Number),
      title: 'Үлкен Дала ралли',
      location: 'Өскемен',
      starts_at: '2027-05-02T09:00:00+05:00',
      ends_at: '2027-05-04T09:00:00+05:00',
      reserve_at: null,
      discipline: { id: 1, code: 'rally', title: { ru: 'Ралли', kk: 'Ралли', en: 'Rally' } },
      organizer_name: 'Қостанай автоклубы',
      status: 'published',
    });
  });

  test.each([
    ['from=2027-05-02&to=2027-05-02', ['Үлкен Дала ралли']],
    ['from=2027-05-03T09:00:00%2B05:00&to=2027-05-03T09:00:01%2B05:00', ['Отменённая гонка']],
    ['discipline_id=5', ['Ёлка-трофи №5']],
    ['discipline_id=4', []],
    ['q=улкен дала', ['Үлкен Дала ралли']],
    ['q=РАЛ ОСКЕ', ['Үлкен Дала ралли']],
    ['q=өскемен', ['Үлкен Дала ралли']],
    ['q=елка семей', ['Ёлка-трофи №5']],
    ['q=5', ['Ёлка-трофи №5']],
    ['q=костанай&discipline_id=5&from=2027-05-01', ['Ёлка-трофи №5']],
    ['q=нигде', []],
    ["q=':*%26|!\\", []],
    ['q=дала мимо', []],
    ['from=2027-05-01&page=2&limit=2', ['Отменённая гонка']],
  ])('%s', async (query, expected) => {
    expect(await titles(query)).toEqual(expected);
  });

  test('finds an event by its current title and by the current name of its organizer (EVT-11)', async () => {
    const other = await make.organizer('Старое имя');
    const id = await make.event(other, { title: 'Первое название', startsAt: at('2028-01-01') });
    await api.sql("update events set title = 'Второе название' where id = $1", [id]);
    await api.sql("update profiles set name = 'Новое имя' where id = $1", [other.profileId]);
    expect([await titles('q=первое'), await titles('q=старое'), await titles('q=второе новое')]).toEqual([[], [], ['Второе название']]);
    await api.sql('update events set published_at = null where id = $1', [id]);
    expect(await titles('q=второе')).toEqual([]);
  });

  test.each(['title', 'name'] as const)('keeps both of two parallel changes, the %s first', async (first) => {
    const [titled, named] = [`Кубок ${first}`, `Клуб ${first}`];
    const other = await make.organizer('Прежний клуб');
    const id = await make.event(other, { title: 'Прежний кубок', startsAt: at('2028-02-01') });
    const changes = {
      title: (ctx: CommandContext) => ctx.db.updateTable('events').set({ title: titled }).where('id', '=', id).execute(),
      name: (ctx: CommandContext) => ctx.db.updateTable('profiles').set({ name: named }).where('id', '=', other.profileId).execute(),
    };
    const caller = { actor: { kind: 'process' }, requestId: 'req-two-changes', ip: null } as const;
    let second: Promise<unknown> | undefined;
    await commit(api.platform, caller, async (ctx) => {
      await changes[first](ctx);
      second = commit(api.platform, caller, changes[first === 'title' ? 'name' : 'title']);
      await waitForLock(api);
    });
    await second;
    expect(await titles(`q=${encodeURIComponent(`${titled} ${named}`)}`)).toEqual([titled]);
  });

  test.each([
    'from=2027-05-02&to=2027-05-01',
    'from=tomorrow',
    'q=',
    'discipline_id=x',
    'page=0',
    'limit=101',
    'order=desc',
    `q=${'я'.repeat(101)}`,
  ])('refuses %s', async (query) => {
    const { status, body } = await anyone.get(`/events/public?${query}`);
    expect([status, body.error.code]).toEqual([422, 'validation_failed']);
  });

  test('caps the total at a thousand, and is cacheable for a minute', async () => {
    await api.sql(
      `insert into events (owner_id, profile_id, service_id, discipline_id, title, location, starts_at, ends_at, status, published_at, created_at, updated_at)
       select $1, $2, 30, 2, 'Серия', 'Алматы', '2030-01-01', '2030-01-01', 'published', now(), now(), now() from generate_series(1, 1001)`,
      [club.ownerId, club.profileId],
    );
    const first = anyone.expect(200, await anyone.get('/events/public?q=серия&limit=1'));
    expect(first.body.meta).toEqual({ total: 1000, total_is_capped: true, page: 1, limit: 1 });
    expect(first.headers.get('cache-control')).toBe('public, max-age=60');
    const tag = first.headers.get('etag') ?? '';
    const again = await anyone.get('/events/public?q=серия&limit=1', { 'if-none-match': tag });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
    expect((await anyone.get('/events/public?q=серия&limit=1&page=2', { 'if-none-match': tag })).status).toBe(200);
    expect((await titles('q=серия&page=501&limit=2')).length).toBe(1);
  });

  test.each([
    ['/events/public?from=2027-01-01&discipline_id=1', 2],
    ['/events/public?q=серия', 2],
    ['/events/public.ics', 1],
  ])('%s asks the database %i times', async (path, count) => {
    const { statements } = await countStatementsOfRead(() => anyone.get(path));
    expect(statements.filter(({ text }) => !text.includes('sandbox_clock')).length).toBe(count);
  });
});

describe('an event', () => {
  async function takePart(eventId: number, lines: Parameters<typeof make.participant>[1][]): Promise<void> {
    const fixtures = fixturesIn(api.platform);
    for (const line of lines) {
      const { id, profileId } = await fixtures.application(await fixtures.person());
      await make.participant({ eventId, applicationId: id, profileId }, line);
    }
  }

  test('shows documents and results once approved, and no personal data of the organizer (EVT-10, EVT-17)', async () => {
    const id = await make.event(club, {
      status: 'published',
      stages: { regulations: 'approved', results: 'submitted' },
      files: { agreement: 'agreement', regulations: 'regulations', results: 'protocol' },
      additional: [
        { title: 'Схема', kind: 'scheme' },
        { title: 'Тайный бюллетень', status: 'pending' },
      ],
    });
    await takePart(id, [
      { name: 'Бірінші', place: 1, category: 'R2', startNumber: '7', result: '10:01', resultStatus: 'finished' },
      { name: 'Сход', category: 'R2', startNumber: '8', resultStatus: 'dnf' },
    ]);
    const before = anyone.expect(200, await anyone.get(`/events/public/${id}`)).body.data;
    const documents = `${api.url}/api/v1/events/public/${id}/documents`;
    expect(before.documents).toEqual({
      regulations: { status: 'approved', url: `${documents}/regulations` },
      results: { status: 'submitted', url: null },
      additional: [
        {
          document_id: expect.any(Number),
          title: 'Схема',
          kind: 'scheme',
          status: 'approved',
          url: expect.stringContaining(`${documents}/additional/`),
        },
      ],
    });
    expect(before.results).toEqual([]);

    await api.sql("update event_stages set status = 'approved' where event_id = $1 and stage = 'results'", [id]);
    await api.sql("update events set status = 'completed' where id = $1", [id]);
    const { result: after, statements } = await countStatementsOfRead(() => anyone.get(`/events/public/${id}`));
    expect(statements.filter(({ text }) => !text.includes('sandbox_clock')).map(({ text }) => text)).toHaveLength(2);
    expect(after.body.data.documents.results).toEqual({ status: 'approved', url: `${documents}/results` });
    expect(after.body.data.results).toEqual([
      { place: 1, start_number: '7', class: 'R2', name: 'Бірінші', result: '10:01', result_status: 'finished' },
      { place: null, start_number: '8', class: 'R2', name: 'Сход', result: null, result_status: 'dnf' },
    ]);
    const text = after.bytes.toString();
    for (const hidden of ['owner', 'profile', 'file_id', 'storage', 'certificate', 'review', 'fee', 'cancel_reason', 'Тайный'])
      expect([hidden, text.includes(hidden)]).toEqual([hidden, false]);
  });

  test.each(['draft', 'in_progress', 'cancelled'] as const)(
    'answers 404 for an event that was never published (EVT-17): %s',
    async (status) => {
      const id = await make.event(club, {
        status,
        publishedAt: null,
        stages: { regulations: 'approved' },
        files: { regulations: 'regulations' },
        additional: [{}],
      });
      const [document] = await api.sql<{ id: number }>('select id from additional_documents where event_id = $1', [id]);
      for (const path of ['', '/documents/regulations', `/documents/additional/${document?.id}`]) {
        const { status: answered, body } = await anyone.get(`/events/public/${id}${path}`);
        expect([path, answered, body.error.code]).toEqual([path, 404, 'not_found']);
      }
      expect((await fetch(`${api.url}/events/${id}`)).status).toBe(404);
      expect((await fetch(`${api.url}/events/${id}/calendar.ics`)).status).toBe(404);
    },
  );

  test('serves its approved documents whole, in part and as a download, and no other documents', async () => {
    const files = { agreement: 'agreement', regulations: 'the regulations', results: 'protocol' };
    const id = await make.event(club, { stages: { regulations: 'approved', results: 'submitted' }, files });
    const approved = await make.additionalDocument(club.ownerId, id, 'bulletin', { title: 'Бюллетень / 1' });
    const returned = await make.additionalDocument(club.ownerId, id, 'other', { status: 'changes' });
    const elsewhere = await make.event(club, { stages: { regulations: 'approved' } });
    const base = `/events/public/${id}/documents`;

    const opened = anyone.expect(200, await anyone.get(`${base}/regulations`));
    expect(opened.bytes.subarray(0, 5).toString()).toBe('%PDF-');
    expect(opened.headers.get('content-disposition')).toBe(`inline; filename="regulations-${id}.pdf"`);
    const part = await anyone.get(`${base}/regulations`, { range: 'bytes=0-4' });
    expect([part.status, part.bytes.toString()]).toEqual([206, '%PDF-']);
    expect((await anyone.get(`${base}/regulations`, { 'if-none-match': opened.headers.get('etag') ?? '' })).status).toBe(304);
    const kept = anyone.expect(200, await anyone.get(`${base}/additional/${approved}?download=1`));
    expect(kept.headers.get('content-disposition')).toMatch(/^attachment; /);

    const paths = [
      `${base}/results`,
      `${base}/agreement`,
      `${base}/additional/${returned}`,
      `/events/public/${elsewhere}/documents/additional/${approved}`,
      `/events/public/${elsewhere}/documents/regulations`,
      '/events/public/2147483647',
    ];
    for (const path of paths) expect([path, (await anyone.get(path)).status]).toEqual([path, 404]);
  });
});

describe('iCalendar', () => {
  const parse = (text: string) => {
    const calendar = new ICAL.Component(ICAL.parse(text) as unknown[]);
    return calendar.getAllSubcomponents('vevent').map((component) => new ICAL.Event(component));
  };

  test('has the facts of the page in lines of 75 bytes, and marks cancelled events', async () => {
    const title = `Қысқы ұлы жарыс; «${'Әлем '.repeat(30)}», 1-кезең \\ финал`;
    const id = await make.event(club, { title, startsAt: at('2029-02-03'), endsAt: at('2029-02-04'), reserveAt: at('2029-02-05') });
    const gone = await make.event(club, { title: 'Не будет', startsAt: at('2029-02-10'), status: 'cancelled', cancelledAt: new Date() });
    const answer = anyone.expect(200, await anyone.get('/events/public.ics?from=2029-02-01&to=2029-02-28', { 'accept-language': 'kk' }));
    expect(answer.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
    const text = answer.bytes.toString();
    expect(text.endsWith('END:VCALENDAR\r\n')).toBe(true);
    for (const line of text.split('\r\n')) {
      expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
      expect(line).not.toContain('\ufffd');
    }
    const [event, cancelled, ...others] = parse(text);
    expect(others).toEqual([]);
    expect([event?.uid, event?.summary, event?.location]).toEqual([`event-${id}@${new URL(api.url).host}`, title.trim(), 'Алматы']);
    expect([event?.startDate.toString(), event?.endDate.toString()]).toEqual(['2029-02-03T04:00:00Z', '2029-02-04T04:00:00Z']);
    expect(event?.description).toContain('Ұйымдастырушы: Қостанай автоклубы');
    const [row] = await api.sql<{ at: Date }>('select updated_at as at from events where id = $1', [id]);
    const updated = row?.at.toISOString().replace(/\.\d+/, '');
    for (const name of ['dtstamp', 'last-modified']) expect(String(event?.component.getFirstPropertyValue(name))).toBe(updated);
    expect([cancelled?.uid, cancelled?.component.getFirstPropertyValue('status')]).toEqual([
      `event-${gone}@${new URL(api.url).host}`,
      'CANCELLED',
    ]);

    const before = Number(event?.sequence);
    await api.sql("update events set title = 'Изменён', updated_at = updated_at + interval '1 hour' where id = $1", [id]);
    const [changed] = parse((await anyone.get('/events/public.ics?q=изменен')).bytes.toString());
    expect([changed?.uid, changed?.summary]).toEqual([event?.uid, 'Изменён']);
    expect(Number(changed?.sequence)).toBeGreaterThan(before);
    const single = await fetch(`${api.url}/events/${id}/calendar.ics`);
    expect(single.headers.get('content-disposition')).toBe(`attachment; filename="event-${id}.ics"`);
    expect(parse(await single.text()).map(({ uid }) => uid)).toEqual([event?.uid]);
  });

  // EVT-11
  test('has the newest thousand events, or the first thousand from `from`, and no paging', async () => {
    const old = await make.event(club, { title: 'Давно', startsAt: at('2020-02-03'), status: 'completed' });
    const uid = `event-${old}@${new URL(api.url).host}`;
    const read = async (query: string) => parse(anyone.expect(200, await anyone.get(`/events/public.ics${query}`)).bytes.toString());
    expect((await read('?from=2020-01-01&to=2020-12-31')).map((event) => event.uid)).toEqual([uid]);
    await api.sql(
      `insert into events (owner_id, profile_id, service_id, discipline_id, title, location, starts_at, ends_at, status, published_at, created_at, updated_at)
       select $1, $2, 30, 4, 'Дрифт', 'Алматы', '2031-01-01', '2031-01-01', 'published', now(), now(), now() from generate_series(1, 1001)`,
      [club.ownerId, club.profileId],
    );
    const coming = await make.event(club, { title: 'Скоро дрифт', startsAt: at('2031-06-01'), disciplineId: 4 });
    const newest = await read('?discipline_id=4');
    expect([newest.length, newest.at(-1)?.uid]).toEqual([1000, `event-${coming}@${new URL(api.url).host}`]);
    const first = await read('?discipline_id=4&from=2020-01-01');
    expect([first.length, first.every(({ summary }) => summary === 'Дрифт')]).toEqual([1000, true]);
    expect((await read('')).map((event) => event.uid)).not.toContain(uid);
    expect((await anyone.get('/events/public.ics?page=2')).status).toBe(422);
  });
});

describe('pages', () => {
  async function open(path: string, headers: Record<string, string> = {}): Promise<{ status: number; headers: Headers; text: string }> {
    const response = await fetch(api.url + path, { headers });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  test('show the calendar by month, keep the chosen search, and link to the next page', async () => {
    await make.event(club, { title: 'Страничная осенняя', startsAt: at('2032-10-30'), endsAt: at('2032-11-01') });
    await make.event(club, { title: 'Страничная зимняя', startsAt: at('2032-12-01') });
    const page = await open('/events?lang=en&q=страничная&from=2032-01-01&utm_source=telegram');
    expect(page.status).toBe(200);
    expect(page.text).toContain('<html lang="en">');
    expect(page.text.match(/<h2>[^<]*<\/h2>/g)).toEqual(['<h2>October 2032</h2>', '<h2>December 2032</h2>']);
    expect(page.text).toMatch(/30 October.–.1 November 2032/);
    expect(page.text).toContain('value="страничная"');
    expect(page.text).toContain(`href="?lang=kk&amp;q=${encodeURIComponent('страничная')}&amp;from=2032-01-01"`);
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self'");
    expect(page.headers.get('vary')).toBe('Accept-Language');
    const again = await open('/events?lang=en&q=страничная&from=2032-01-01&utm_source=telegram', {
      'if-none-match': page.headers.get('etag') ?? '',
    });
    expect([again.status, again.text, again.headers.get('vary')]).toEqual([304, '', 'Accept-Language']);
    // A browser would put the policy of the 304 onto the page that it shows.
    expect(again.headers.get('content-security-policy')).toBeNull();
    expect((await open('/events?q=серия&page=2')).text).toContain('rel="next"');
  });

  test('show running and future events, and past events apart, the latest first', async () => {
    const day = (days: number) => new Date(Date.now() + days * 86_400_000);
    const names = ['Вчерашняя-1', 'Идущая', 'Будущая', 'Вчерашняя-2'];
    await make.event(club, { title: 'Текущее Вчерашняя-1', startsAt: day(-5), endsAt: day(-4) });
    await make.event(club, { title: 'Текущее Вчерашняя-2', startsAt: day(-3), endsAt: day(-2) });
    await make.event(club, { title: 'Текущее Идущая', startsAt: day(-1), endsAt: day(1) });
    await make.event(club, { title: 'Текущее Будущая', startsAt: day(5), endsAt: day(6) });
    const order = ({ text }: { text: string }) =>
      names.filter((name) => text.includes(name)).sort((left, right) => text.indexOf(left) - text.indexOf(right));
    expect(order(await open('/events?q=текущее'))).toEqual(['Идущая', 'Будущая']);
    expect(order(await open('/events?q=текущее&past=1'))).toEqual(['Вчерашняя-2', 'Вчерашняя-1']);
    expect(order(await open('/events?q=текущее&past=1&from=2100-01-01'))).toEqual(['Вчерашняя-2', 'Вчерашняя-1']);
  });

  test('show an event that runs for months, in its place and on every page once', async () => {
    const day = (days: number) => new Date(Date.now() + days * 86_400_000);
    const titles = Array.from({ length: 33 }, (_, index) => `Сезонная ${index + 10}`);
    for (const [index, title] of titles.entries())
      await make.event(club, { title, startsAt: day(index === 0 ? -300 : index - 1), endsAt: day(index === 0 ? 1 : index) });
    const pages = await Promise.all([1, 2].map((page) => open(`/events?q=сезонная&page=${page}`)));
    expect(pages.flatMap(({ text }) => text.match(/Сезонная \d+/g) ?? [])).toEqual(titles);
    expect(pages[0]?.text).toContain('33');
  });

  test('link to a subscription in the language of the page', async () => {
    const page = await open('/events?q=текущее&discipline_id=2', { 'accept-language': 'kk' });
    const path = /href="([^"]*public\.ics[^"]*)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const calendar = await open(path);
    expect([path.includes('lang=kk'), calendar.status]).toEqual([true, 200]);
    expect((await open(`${path}&from=2029-01-01`)).status).toBe(200);
    await make.event(club, { title: 'Тіл', startsAt: at('2029-07-01') });
    expect((await open('/api/v1/events/public.ics?lang=kk&q=тіл')).text).toContain('Ұйымдастырушы');
    expect((await open('/api/v1/events/public.ics?lang=de')).status).toBe(422);
  });

  test.each(['ru', 'kk', 'en'])('escape titles, in %s', async (language) => {
    const hostile = '"><script>alert(1)</script><img src=x>\'&';
    const by = await make.organizer(hostile);
    const id = await make.event(by, {
      title: hostile,
      location: hostile,
      startsAt: at('2033-01-01'),
      stages: { results: 'approved' },
      additional: [{ title: hostile }],
    });
    const { id: applicationId, profileId } = await fixturesIn(api.platform).application(await fixturesIn(api.platform).person());
    await make.participant(
      { eventId: id, applicationId, profileId },
      { name: hostile, category: hostile, startNumber: '"><i>', result: hostile },
    );
    const query = new URLSearchParams({ lang: language, q: `${hostile} alert`, from: '2033-01-01' }).toString();
    for (const path of [`/events?${query}`, `/events/${id}?lang=${language}`]) {
      const page = await open(path);
      expect([path, page.status]).toEqual([path, 200]);
      expect(page.text).toContain(`<html lang="${language}">`);
      expect(page.text).toContain('&quot;&gt;&lt;script&gt;');
      expect(page.text).not.toMatch(/<script|<img|<i>|javascript:/);
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    }
  });

  test.each(['/events/2147483647', '/events/public', '/events/0', '/events/12/else'])(
    '%s answers a page for an unknown event',
    async (path) => {
      const page = await open(path, { 'accept-language': 'kk' });
      expect(page.status).toBeGreaterThanOrEqual(404);
      expect(page.status).toBeLessThan(500);
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(page.text).toContain('<html lang="kk">');
    },
  );
});
