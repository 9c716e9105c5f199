import { databaseOf } from '../../src/platform/database/database.ts';
import { expectAccessible, useDesk } from './use-desk.ts';
import { fixturesOf } from '../support/factories.ts';
import { insertInvoices } from '../support/factories/budget-records.ts';
import { contractFixtures } from '../support/factories/contracts.ts';
import { eventFixtures } from '../support/factories/events.ts';
import { insertRegistrations } from '../support/factories/registrations.ts';
import { insertIncident } from '../support/factories/rows.ts';
import type { TestClient } from '../support/client.ts';

/** Each page of the desk with records of its own: it opens, has no finding of axe, fits a phone, and breaks no rule of its policy. */
const { api, open, inChromium } = await useDesk();
const make = fixturesOf(api);
let administrator: TestClient;
let records: Readonly<Record<string, number>>;

beforeAll(async () => {
  administrator = await api.administrator();
  const owner = await api.user('Айгерім Серікбаева');
  const application = await make.application(owner, { status: 'submitted' });
  const document = await make.document(owner, application.profileId, { type: 'driver' });
  const event = await eventFixtures(api.platform).event(owner);
  const contract = await contractFixtures(api.platform).contract(owner, { status: 'pending', eventId: event.id });
  const db = databaseOf(api.platform.orm.em.fork());
  const [registration = 0] = await insertRegistrations(
    db,
    [{ eventId: event.id, ownerId: owner.userId, profileId: application.profileId }],
    new Date(),
  );
  await insertInvoices(api, owner.userId, 1);
  const [invoice] = await api.sql<{ id: number }>('select max(id) as id from invoices');
  const incident = await insertIncident(db, invoice?.id ?? 0, new Date());
  const [message] = await api.sql<{ id: number }>(
    `insert into contact_messages (name, email, message, status, created_at) values ('Ермек', 'ermek@example.kz', 'Когда откроется приём?', 'new', now()) returning id`,
  );
  owner.expect(201, await owner.post('/chat/messages', { message: 'Здравствуйте!' }));
  records = {
    user: owner.userId,
    profile: application.profileId,
    application: application.id,
    document,
    event: event.id,
    contract: contract.id,
    registration,
    invoice: invoice?.id ?? 0,
    incident,
    contact_message: message?.id ?? 0,
  };
});

const pages = [
  ['overview', ''],
  ['search', '/search?q=Серікбаева'],
  ['people', '/people'],
  ['athletes', '/athletes'],
  ['chats', '/chats'],
  ['national', '/national'],
  ['processes', '/processes'],
  ['catalogue', '/catalogue'],
  ['signing', '/signing'],
  ['audit', '/audit'],
] as const;

inChromium.each(pages)('the page %s', async (name, path) => {
  await expectPage(name, path);
});

const kinds = [
  'profile',
  'application',
  'document',
  'event',
  'contract',
  'registration',
  'invoice',
  'incident',
  'contact_message',
] as const;

inChromium.each(kinds)('the record of the kind %s', async (kind) => {
  await expectPage(kind, `/records/${kind}/${records[kind]}`);
});

inChromium('the page of a person', async () => {
  await expectPage('person', `/people/${records['user']}`);
});

inChromium('the dialog with a person', async () => {
  await expectPage('chat', `/chats?person=${records['user']}`);
});

async function expectPage(name: string, path: string): Promise<void> {
  const { page, problems, context } = await open(path, administrator);
  // The page of the sign-in has a heading too.
  await page.waitForSelector('[name=password]', { state: 'detached' });
  await page.waitForSelector('main h1');
  await page.waitForLoadState('networkidle');
  expect(await page.locator('main [role=alert]').allTextContents()).toEqual([]);
  await expectAccessible(page, name);
  expect(problems).toEqual([]);
  await context.close();
}
