import { TOTP } from 'otpauth';
import { randomUUID } from 'node:crypto';
import { formatDateTime } from '../../platform/time/date-time.ts';
import type { OfficeCalendar } from './calendar.ts';
import { type DemoClient, DemoFailure, type Json } from './client.ts';
import type { PersonName } from './papers.ts';
import {
  becomeApplicant,
  becomeAthlete,
  confirmAddress,
  type DemoAthlete,
  expectStatus,
  registerPerson,
  signInAdministrator,
  tenge,
} from './people.ts';
import { type DemoRun, storeOutput } from './surroundings.ts';

const applicants: readonly PersonName[] = [
  { last: 'Сәрсенова', first: 'Айгерім', middle: 'Бақытқызы' },
  { last: 'Петренко', first: 'Илья', middle: 'Сергеевич' },
];
const athletes: readonly PersonName[] = [
  { last: 'Нұрланов', first: 'Темір', middle: 'Асқарұлы' },
  { last: 'Цой', first: 'Виктория', middle: 'Робертовна' },
];
const parentName: PersonName = { last: 'Нұрланова', first: 'Сәуле', middle: 'Маратқызы' };

interface Office extends DemoRun<OfficeCalendar> {
  administrator: DemoClient;
}

/**
 * Shows a week of the federation's office: queue, bulk decisions, files for printer and insurer, a correction of money, a transfer of a
 * profile, a stuck process, a second factor. Uses only the HTTP API. @throws {DemoFailure}
 */
export async function walkAdministration(run: DemoRun<OfficeCalendar>): Promise<void> {
  const { surroundings, calendar, now, narrator } = run;
  narrator.begin('Two athletes have their certificates; two more have applied');
  const administrator = await signInAdministrator(surroundings);
  const office: Office = { ...run, administrator };
  const holders: DemoAthlete[] = [];
  for (const name of athletes) holders.push(await becomeAthlete(surroundings, administrator, name, calendar, now));
  const waiting: number[] = [];
  for (const name of applicants) waiting.push((await becomeApplicant(surroundings, name, calendar, now)).applicationId);
  const [first, second] = holders;
  if (!first || !second) throw new DemoFailure('the athletes are missing');
  narrator.fact(`certificates ${first.number} and ${second.number}; applications ${waiting.join(' and ')} wait`);

  await showOverview(office);
  await reviewInBulk(office, waiting);
  await exportLists(office, holders);
  await correctMoney(office, second);
  await transfer(office, first);
  await repair(office, second);
  await protectColleague(office);
}

async function showOverview({ narrator, administrator }: Office): Promise<void> {
  narrator.begin('Monday: the queue of the office');
  const { queue, money, processes } = await administrator.get('/admin/overview');
  const counts = Object.entries(queue as Record<string, number>).filter(([, count]) => count > 0);
  narrator.fact(`queue: ${counts.map(([kind, count]) => `${kind} ${count}`).join(', ')}`);
  const { income_minor: income, premium_minor: premium } = money as Json;
  narrator.fact(`income ${tenge(income)} KZT, premiums of the insurer ${tenge(premium)} KZT`);
  const { running, waiting, stuck, failed } = processes as Json;
  narrator.fact(`processes: ${String(waiting)} wait, ${String(running)} run, ${String(stuck)} stuck, ${String(failed)} failed`);
}

async function reviewInBulk({ narrator, administrator }: Office, ids: readonly number[]): Promise<void> {
  narrator.begin('Tuesday: one decision returns a list of applications to their owners');
  await administrator.post('/admin/national/lists/review', { operation: 'add', ids });
  const { succeeded, failed } = await administrator.post('/admin/national/lists/review/review', {
    ids,
    decision: 'changes',
    note: 'Анықтамада дәрігердің қолы жоқ.',
  });
  if (!Array.isArray(succeeded) || succeeded.length !== ids.length)
    throw new DemoFailure(`not every decision took effect: ${JSON.stringify({ succeeded, failed })}`);
  narrator.fact(`${succeeded.length} decided, none failed; each owner is notified`);
}

async function exportLists({ surroundings, narrator, administrator }: Office, holders: readonly DemoAthlete[]): Promise<void> {
  narrator.begin('Wednesday: the files for the printer and for the insurer');
  const ids = holders.map(({ applicationId }) => applicationId);
  for (const [list, extension] of [
    ['print', 'zip'],
    ['insurance', 'xlsx'],
  ] as const) {
    await administrator.post(`/admin/national/lists/${list}`, { operation: 'clear' });
    await administrator.post(`/admin/national/lists/${list}`, { operation: 'add', ids });
    const made = await administrator.post(`/admin/national/lists/${list}/export`, { ids });
    const { download_url: address } = made['file'] as Json;
    const content = await administrator.download(pathOf(String(address)));
    narrator.fact(`${list}: ${String(made['count'])} records, ${Math.round(content.length / 1024)} KB`);
    narrator.open(`the file for the ${list} list`, storeOutput(surroundings, `${list}-${String(made['id'])}.${extension}`, content));
  }
}

/** Returns the path of an API address, without its prefix. */
function pathOf(address: string): string {
  return address.slice(address.indexOf('/api/v1') + '/api/v1'.length);
}

async function correctMoney({ surroundings, narrator, administrator }: Office, { client }: DemoAthlete): Promise<void> {
  narrator.begin('Thursday: a cash payment is booked, then reversed');
  const { user } = await client.get('/account');
  const { password } = surroundings.administrator;
  const correction = await administrator.post(
    '/admin/ledger/corrections',
    {
      user_id: (user as Json)['id'],
      amount: '1500.00',
      direction: 'credit',
      reason: 'Төлем кассада қолма-қол қабылданды',
      password,
    },
    { 'idempotency-key': randomUUID() },
  );
  narrator.fact(`transaction ${String(correction['id'])}; the wallet holds ${await balanceOf(client)} KZT`);
  await administrator.post(`/admin/ledger/${String(correction['id'])}/reverse`, { reason: 'Қате шотқа жазылды', password });
  narrator.fact(`reversed; the wallet holds ${await balanceOf(client)} KZT, and the ledger keeps both`);
}

async function balanceOf(client: DemoClient): Promise<string> {
  return tenge((await client.get('/wallet'))['balance_minor']);
}

async function transfer({ surroundings, narrator, administrator }: Office, { client, profileId, number }: DemoAthlete): Promise<void> {
  narrator.begin("Friday: an athlete's profile is transferred to the account of a parent");
  const { client: parent, email } = await registerPerson(surroundings, parentName);
  const [from, to] = await Promise.all([client, parent].map(async (person) => ((await person.get('/account'))['user'] as Json)['id']));
  const preview = await administrator.get(`/admin/profiles/${profileId}/owner/preview?target_user_id=${String(to)}`);
  const counts = Object.entries(preview['counts'] as Record<string, number>).filter(([, count]) => count > 0);
  narrator.fact(`would move: ${counts.map(([kind, count]) => `${kind} ${count}`).join(', ')}`);
  await administrator.put(`/admin/profiles/${profileId}/owner`, {
    current_user_id: from,
    target_user_id: to,
    reason: 'Заңды өкілдің өтініші',
    password: surroundings.administrator.password,
  });
  if ((await client.statusOf(`/profiles/${profileId}`)) !== 404) throw new DemoFailure('the former owner still sees the profile');
  const { name } = await parent.get(`/profiles/${profileId}`);
  narrator.fact(`${email} owns the profile of ${String(name)} and certificate ${number}; the former owner sees neither`);
}

/** Shows an unpaid invoice that expires unnoticed. */
async function repair({ calendar, narrator, administrator }: Office, { client }: DemoAthlete): Promise<void> {
  const invoice = await client.post('/invoices', { amount: '500.00' }, { 'idempotency-key': randomUUID() });
  await client.post(`/invoices/${String(invoice['id'])}/checkout`);
  narrator.begin(
    `Saturday: the clock moves to ${formatDateTime(calendar.afterAt)}; an invoice has expired, and its process has not noticed`,
  );
  await client.put('/sandbox/clock', { now: formatDateTime(calendar.afterAt) });
  const stuck = await administrator.list(`/admin/processes?state=stuck&kind=invoice&q=${String(invoice['id'])}`);
  const [row] = stuck;
  // The sweeper runs every minute and may have been first.
  if (row) {
    narrator.fact(`${String(row['workflow_id'])}: stuck since ${String(row['since'])}`);
    narrator.open('its process', typeof row['url'] === 'string' ? row['url'] : null);
    await administrator.post(`/admin/processes/invoice/${String(invoice['id'])}/actions`, {
      action: 'ask_bank',
      reason: 'Клиент шоттың не болғанын сұрайды',
    });
  } else {
    narrator.fact('the sweeper has already processed it');
  }
  expectStatus(await client.get(`/invoices/${String(invoice['id'])}`), 'expired', 'the invoice');
  narrator.fact('the bank answers: not paid; the invoice is expired');
  const written = await administrator.list('/admin/audit?limit=5');
  narrator.fact(`the last audit rows: ${written.map(({ action }) => String(action)).join(', ')}`);
}

/** Shows the second factor of a new administrator, with codes computed as an authenticator application does, and its removal. */
async function protectColleague({ surroundings, narrator, administrator }: Office): Promise<void> {
  narrator.begin('Sunday: a new colleague protects the account with a second factor');
  const { password: officePassword } = surroundings.administrator;
  const { client, email, password } = await registerPerson(surroundings);
  const { user } = await client.get('/account');
  const id = String((user as Json)['id']);
  await confirmAddress(surroundings, { client, email });
  narrator.fact('the colleague confirms the address; an account without a confirmed one cannot become an administrator');
  await administrator.patch(`/admin/users/${id}`, { role: 'administrator', password: officePassword });
  const signIn = async () => {
    await client.renewSession();
    const answer = await client.post('/auth/login', { email, password });
    await client.renewSession();
    return answer;
  };
  await signIn();
  const { secret } = await client.post('/account/second-factor', { password });
  const totp = new TOTP({ secret: String(secret) });
  // A code counts once. The login uses that of the next 30 seconds, which is accepted already.
  const codeAt = (secondsFromNow: number) => totp.generate({ timestamp: Date.now() + secondsFromNow * 1_000 });
  const { recovery_codes: recoveryCodes } = await client.post('/account/second-factor/confirm', { code: codeAt(0) });
  narrator.fact(`the application reads a QR code; its first code confirms it; ${(recoveryCodes as string[]).length} recovery codes`);
  await client.post('/auth/logout');
  const { second_factor_required: isRequired } = await signIn();
  if (isRequired !== true || (await client.statusOf('/admin/overview')) !== 403)
    throw new DemoFailure('the password alone signs the colleague in');
  await client.post('/auth/second-factor', { code: codeAt(30) });
  await client.renewSession();
  await client.get('/admin/overview');
  narrator.fact('the password alone opens nothing; password and code open the administration');
  const reason = 'Әріптестің телефоны жоғалды, жеке куәлігі тексерілді';
  await administrator.delete(`/admin/users/${id}/second-factor`, { reason, password: officePassword });
  await administrator.patch(`/admin/users/${id}`, { role: 'user', password: officePassword });
  if ((await client.statusOf('/account')) !== 401) throw new DemoFailure('a session of the colleague is still open');
  narrator.fact('the telephone is lost: the office removes the second factor with a reason, and all sessions end');
}
