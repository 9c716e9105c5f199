import type { Page } from 'playwright-core';
import { databaseOf } from '../../src/platform/database/database.ts';
import { expectAccessible, signIn, useDesk } from './use-desk.ts';
import { fixturesOf } from '../support/factories.ts';
import { contractFixtures } from '../support/factories/contracts.ts';
import { organizerSteps } from '../support/factories/event-steps.ts';
import { eventFixtures } from '../support/factories/events.ts';
import { insertIncident } from '../support/factories/rows.ts';
import type { TestClient } from '../support/client.ts';

const { api, open, inChromium } = await useDesk();
const make = fixturesOf(api);
const administrator = await api.administrator();
const note = 'The stamp is missing';
const list = 'nav[aria-label=Queue]';
const record = 'main section[tabindex="-1"]';
const read = async (path: string) => administrator.expect(200, await administrator.get(path)).body.data;

inChromium("a clerk's day: twenty records of all kinds, decided one after another by keys alone (REV-3)", async () => {
  const owner = await api.user();
  const profileId = await make.profile(owner, { status: 'pending' });
  const medical = await make.document(owner, profileId);
  const identity = await make.document(owner, profileId, { type: 'identity' });
  const returned = await payForReview(owner);
  const further = await waitingOfAllKinds();
  const { page, problems, context } = await open('/queue', administrator);
  await expectOpened(page, 'Photo', 20);
  await expectAccessible(page, 'queue');
  await page.keyboard.press('j');
  await expectOpened(page, 'Profile', 20);
  await page.keyboard.press('k');
  await expectOpened(page, 'Photo', 20);
  await page.keyboard.press('Shift+Slash');
  await page.waitForSelector('[role=dialog]:has-text("Next record")');
  await page.keyboard.press('Escape');
  await page.waitForSelector('[role=dialog]', { state: 'detached' });

  await page.keyboard.press('a');
  await expectOpened(page, 'Profile', 19);
  await page.waitForSelector('[role=status]:has-text("Approve")');
  expect(await page.evaluate(() => document.activeElement?.matches('main section[tabindex="-1"]'))).toBe(true);
  // The photo is of the profile, which the page reads again.
  await page.waitForSelector(`${record} tr:has-text("Status of the photo"):has-text("Approved")`);
  await page.keyboard.press('c');
  await page.keyboard.type(`${note} j k a`);
  await expectOpened(page, 'Profile', 19);
  await page.keyboard.press('Control+Enter');
  await expectOpened(page, 'Medical', 18);
  await page.keyboard.press('x');
  await page.keyboard.type(note);
  await page.keyboard.press('Control+Enter');
  await expectOpened(page, 'Identity', 17);
  await page.keyboard.press('a');
  await expectOpened(page, 'Federation membership card', 16);
  // A ready note.
  await page.keyboard.press('c');
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowDown');
  await page.waitForSelector('[role=option]:visible');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement?.matches('textarea'));
  await page.keyboard.press('Control+Enter');

  for (const [index, { shown, key, text }] of further.entries()) {
    await expectOpened(page, shown, further.length - index);
    await page.keyboard.press(key);
    if (text !== undefined) {
      await page.keyboard.type(text);
      await page.keyboard.press('Control+Enter');
    }
    await untilDecided(page, further.length - index - 1, text === undefined ? key : 'Control+Enter');
  }
  await page.waitForSelector('text=Nothing waits for a decision.');
  await page.waitForSelector(record, { state: 'detached' });
  await expectAccessible(page, 'queue-empty');

  expect(await read(`/profiles/${profileId}`)).toMatchObject({
    photo_status: 'approved',
    status: 'changes',
    review_note: `${note} j k a`,
  });
  expect([(await read(`/documents/${medical}`)).status, (await read(`/documents/${identity}`)).status]).toEqual(['cancelled', 'approved']);
  expect(await read(`/applications/${returned}`)).toMatchObject({
    status: 'changes',
    review_note: 'Replace the expired document and submit again.',
  });
  for (const { path, expected } of further) expect({ path, is: await read(path) }).toMatchObject({ path, is: expected });
  expect((await administrator.get('/admin/queue')).body.meta.total).toBe(0);
  expect(problems).toEqual([]);
  await context.close();
});

inChromium('the keys go over the borders of pages; the last one of a page makes room for the next page', async () => {
  const { owner } = await waitingDocuments(27);
  const { page, context } = await open(`/queue?q=${owner.email}`, administrator);
  await expectOpened(page, 'Medical', 25);
  await page.click(`${list} a:last-child`);
  await page.waitForSelector(`${list} a:last-child[aria-current]`);
  await page.keyboard.press('j');
  await expectOpened(page, 'Medical', 2);
  await page.waitForSelector(`${list} a:first-child[aria-current]`);
  await page.keyboard.press('k');
  await expectOpened(page, 'Medical', 25);
  await page.waitForSelector(`${list} a:last-child[aria-current]`);
  await page.waitForFunction(
    () => (document.querySelector('nav[aria-label=Queue] a:last-child')?.getBoundingClientRect().bottom ?? Infinity) < innerHeight,
  );
  await page.waitForSelector(`${record} h2:has-text("Decision")`);
  const decided = await openName(page);
  await page.keyboard.press('a');
  await page.waitForSelector('[role=status]:has-text("Approve")');
  await page.waitForFunction((name) => !location.search.includes(`open=${name}`), decided);
  await expectOpened(page, 'Medical', 25);
  await page.waitForSelector(`${list} a:last-child[aria-current]`);
  await context.close();
});

inChromium('the second of two clerks reads what the first has changed (REV-5)', async () => {
  const { owner, ids } = await waitingDocuments(2);
  const other = await api.anotherAdministrator();
  const { page, context } = await open(`/queue?q=${owner.email}`, other);
  await expectOpened(page, 'Medical', 2);
  administrator.expect(
    200,
    await administrator.post('/admin/review', { kind: 'document', id: ids[0], decision: 'changes', note: 'Another scan, please' }),
  );
  await page.keyboard.press('a');
  const changed = page.locator(`${record} [role=alert]`, { has: page.locator('table') });
  await changed.waitFor();
  expect(await changed.locator('tr', { hasText: 'Status' }).textContent()).toBe('StatusPendingReturned');
  expect(await changed.locator('tr', { hasText: 'Note' }).textContent()).toContain('Another scan, please');
  // The item has left the list, and stays open until the clerk goes on.
  await page.waitForFunction(() => document.querySelectorAll('nav[aria-label=Queue] a').length === 1);
  expect(await changed.isVisible()).toBe(true);
  await page.keyboard.press('j');
  await expectOpened(page, 'Medical', 1);
  expect(await openName(page)).toBe(`document-${ids[1]}`);
  await context.close();
});

inChromium('a note outlives the session in which it was begun, and a reload', async () => {
  const { owner, ids } = await waitingDocuments(1);
  const other = await api.anotherAdministrator();
  const { page, context } = await open(`/queue?q=${owner.email}`, other);
  await expectOpened(page, 'Medical', 1);
  await page.keyboard.press('c');
  await page.keyboard.type(note);
  await api.sql('delete from sessions where user_id = $1', [other.userId]);
  await page.keyboard.press('Control+Enter');
  await page.waitForSelector('[role=dialog] [name=password]');
  expect(await page.inputValue(`${record} textarea`)).toBe(note);
  await signIn(page, other);
  await page.waitForSelector('[role=dialog]', { state: 'detached' });
  expect(await page.inputValue(`${record} textarea`)).toBe(note);
  await page.reload();
  await expectOpened(page, 'Medical', 1);
  expect(await page.inputValue(`${record} textarea`)).toBe(note);
  await page.click('button:has-text("Return for changes")');
  await page.waitForSelector('text=Nothing waits');
  expect((await administrator.get(`/documents/${ids[0]}`)).body.data).toMatchObject({ status: 'changes', review_note: note });
  await context.close();
});

inChromium('without a network a decision is refused with its note kept, and the desk goes on when it is back', async () => {
  const { owner, ids } = await waitingDocuments(3);
  const { page, context } = await open(`/queue?q=${owner.email}`, administrator);
  await expectOpened(page, 'Medical', 3);
  await page.keyboard.press('x');
  await page.keyboard.type(note);
  await context.setOffline(true);
  await page.keyboard.press('Control+Enter');
  await page.waitForSelector(`${record} [role=alert]:has-text("The registry cannot be reached")`);
  expect(await page.inputValue(`${record} textarea`)).toBe(note);
  await page.waitForSelector('main [role=alert]:has-text("The registry cannot be reached")');
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await page.waitForSelector(`${record} [role=alert]:has-text("The registry cannot be reached")`);
  expect(await page.locator(`${list} a`).count()).toBe(3);

  await context.setOffline(false);
  await expectOpened(page, 'Medical', 3);
  await page.keyboard.press('k');
  await expectOpened(page, 'Medical', 3);
  expect(await page.inputValue(`${record} textarea`)).toBe(note);
  await page.click('button:has-text("Cancel (x)")');
  await page.waitForFunction(() => document.querySelectorAll('nav[aria-label=Queue] a').length === 2);
  expect((await administrator.get(`/documents/${ids[0]}`)).body.data.status).toBe('cancelled');
  await context.close();
});

inChromium('filters are in the address, and the page says what they hide; a phone shows the list or the record', async () => {
  const { owner } = await waitingDocuments(2);
  const { page, context } = await open(`/queue?q=${owner.email}&kind=profile&waiting_before=2020-01-01`, administrator);
  await page.waitForSelector('text=Nothing waits under these filters.');
  const hidden = await page.textContent('main');
  for (const text of [owner.email, 'Profile', '1 Jan 2020']) expect(hidden).toContain(text);
  await expectAccessible(page, 'queue-filtered');
  await page.click('button:has-text("Clear the filters")');
  await page.waitForFunction(() => location.search.startsWith('?open='));
  await page.fill('label:has-text("Words") + div input', owner.email);
  await expectOpened(page, 'Medical', 2);

  await page.setViewportSize({ width: 360, height: 800 });
  await page.waitForSelector(list, { state: 'detached' });
  await page.click('button:has-text("Back to the list")');
  await page.waitForSelector(`${list} a`);
  await expectAccessible(page, 'queue-list');
  await context.close();
});

/** A record that waits, the key that decides it, and what the decision makes of it. */
interface Waiting {
  shown: string;
  key: 'a' | 'c' | 'x';
  text?: string;
  path: string;
  expected: object;
}

/** Fifteen records of the other kinds, in the order of the queue. */
async function waitingOfAllKinds(): Promise<Waiting[]> {
  const { platform } = api;
  const owner = await api.user();
  const organizer = await api.user();
  const events = eventFixtures(platform);
  const db = databaseOf(platform.orm.em.fork());
  const steps = organizerSteps(api);
  const { contract } = contractFixtures(platform);

  const profileId = await make.profile(owner, { status: 'pending' });
  const driver = await make.document(owner, profileId, { type: 'driver' });
  const approved = await payForReview(owner);
  const club = await events.organizer(organizer);
  await api.sql(`update profiles set status = 'pending', submitted_at = now(), status_since = now() where id = $1`, [club]);
  const submittedRegulations = async () => {
    const { id } = await events.event(organizer, { profileId: club });
    await steps.attach(organizer, id, 'regulations');
    organizer.expect(200, await steps.submit(organizer, id, 'regulations'));
    return id;
  };
  const [accepted, sentBack, ended] = [await submittedRegulations(), await submittedRegulations(), await submittedRegulations()];
  const additions = `/events/${accepted}/additional-documents`;
  for (const kind of ['bulletin', 'scheme'])
    organizer.expect(201, await organizer.post(additions, { file_id: await make.file(organizer, 'scan'), title: kind, kind }));
  const agreement = async (status: 'pending' | 'cancelled', columns = {}) => {
    const { id: eventId } = await events.event(organizer, { status: 'draft', profileId: club });
    return (await contract(organizer, { eventId, status, columns })).id;
  };
  const [confirmed, rejected] = [await agreement('pending'), await agreement('pending')];
  const unseen = await agreement('cancelled', { unseenSince: new Date() });
  const incident = await insertIncident(db, 1, new Date());
  const visitor = api.browser();
  await visitor.session();
  const form = { name: 'Ермек', email: 'ermek@example.kz', message: 'Когда откроется приём?' };
  visitor.expect(201, await visitor.post('/contact', { ...form, ...(await visitor.captcha('contact')) }));
  const [message] = await api.sql<{ id: number }>('select id from contact_messages');
  return [
    {
      shown: 'Photo',
      key: 'c',
      text: note,
      path: `/profiles/${profileId}`,
      expected: { photo_status: 'changes', photo_review_note: note },
    },
    { shown: 'Profile', key: 'a', path: `/profiles/${profileId}`, expected: { status: 'approved' } },
    { shown: 'Driving', key: 'c', text: note, path: `/documents/${driver}`, expected: { status: 'changes', review_note: note } },
    { shown: 'Federation membership card', key: 'a', path: `/applications/${approved}`, expected: { status: 'approved' } },
    { shown: 'Profile', key: 'a', path: `/profiles/${club}`, expected: { status: 'approved' } },
    { shown: 'Regulations', key: 'a', path: `/events/${accepted}`, expected: { stages: { regulations: { status: 'approved' } } } },
    {
      shown: 'Regulations',
      key: 'c',
      text: note,
      path: `/events/${sentBack}`,
      expected: { stages: { regulations: { review_note: note } } },
    },
    { shown: 'Regulations', key: 'x', text: note, path: `/events/${ended}`, expected: { status: 'cancelled', cancel_reason: note } },
    { shown: 'Bulletin', key: 'a', path: additions, expected: [{ status: 'approved' }, {}] },
    { shown: 'Scheme', key: 'c', text: note, path: additions, expected: [{}, { status: 'changes', review_note: note }] },
    { shown: 'Agreement', key: 'a', path: `/contracts/${confirmed}`, expected: { status: 'confirmed' } },
    { shown: 'Agreement', key: 'c', text: note, path: `/contracts/${rejected}`, expected: { status: 'rejected', reason: note } },
    { shown: 'Ended agreement', key: 'a', path: `/contracts/${unseen}`, expected: { status: 'cancelled' } },
    { shown: 'Paid after', key: 'a', text: note, path: `/admin/incidents/${incident}`, expected: { resolution: note } },
    { shown: 'Contact', key: 'a', path: `/admin/contact-messages/${message?.id}`, expected: { status: 'answered' } },
  ];
}

/** A paid application that waits for its review. @returns its id */
async function payForReview(owner: TestClient): Promise<number> {
  const { id } = await make.application(owner, { serviceId: 20, status: 'submitted' });
  await make.money(owner, 1_000_000);
  owner.expect(200, await owner.post(`/applications/${id}/pay`));
  return id;
}

/** Documents of one owner that wait for their decision. */
async function waitingDocuments(count: number): Promise<{ owner: TestClient; ids: number[] }> {
  const owner = await api.user();
  const profileId = await make.profile(owner);
  const ids = [];
  for (let made = 0; made < count; made += 1) ids.push(await make.document(owner, profileId));
  return { owner, ids };
}

/** Waits until an item is open with its decision, in a list of so many. */
async function expectOpened(page: Page, kind: string, count: number): Promise<void> {
  await page.waitForSelector(`${list} a[aria-current]:has-text("${kind}")`);
  await page.waitForFunction((wanted) => document.querySelectorAll('nav[aria-label=Queue] a').length === wanted, count);
  await page.waitForSelector(`${record} h2:has-text("Decision")`);
}

/** Waits until the list has so many left. On a busy machine a process may not answer in time: the clerk reads so and sends again. */
async function untilDecided(page: Page, left: number, send: string): Promise<void> {
  const outcome = async () => {
    const found = await page.waitForFunction((wanted) => {
      const isDecided = document.querySelectorAll('nav[aria-label=Queue] a').length === wanted;
      const refusal = document.querySelector('main section[tabindex="-1"] [role=alert]')?.textContent ?? null;
      return isDecided || refusal;
    }, left);
    return found.jsonValue();
  };
  for (let refusal = await outcome(); refusal !== true; refusal = await outcome()) {
    expect(refusal).toContain('Processes are unavailable');
    await page.keyboard.press(send);
  }
}

async function openName(page: Page): Promise<string | null> {
  return new URL(page.url()).searchParams.get('open');
}
