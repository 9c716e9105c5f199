import { TOTP } from 'otpauth';
import { randomUUID } from 'node:crypto';
import { formatDateTime } from '../../platform/time/date-time.ts';
import type { OfficeCalendar } from './calendar.ts';
import { at, type DemoClient, DemoFailure, download, statusOf } from './client.ts';
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
import { moveClock } from './sandbox.ts';
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
  const { queue, money, processes } = (await administrator.GET('/admin/overview')).data;
  const counts = Object.entries(queue).filter(([, count]) => count > 0);
  narrator.fact(`queue: ${counts.map(([kind, count]) => `${kind} ${count}`).join(', ')}`);
  narrator.fact(`income ${tenge(money.income_minor)} KZT, premiums of the insurer ${tenge(money.premium_minor)} KZT`);
  const { running, waiting, stuck, failed } = processes;
  narrator.fact(`processes: ${waiting} wait, ${running} run, ${stuck} stuck, ${failed} failed`);
}

async function reviewInBulk({ narrator, administrator }: Office, ids: number[]): Promise<void> {
  narrator.begin('Tuesday: one decision returns a list of applications to their owners');
  await administrator.POST('/admin/national/lists/review', { body: { operation: 'add', ids } });
  const { succeeded, failed } = (
    await administrator.POST('/admin/national/lists/review/review', {
      body: { ids, decision: 'changes', note: 'Анықтамада дәрігердің қолы жоқ.' },
    })
  ).data;
  if (succeeded.length !== ids.length) throw new DemoFailure(`not every decision took effect: ${JSON.stringify({ succeeded, failed })}`);
  narrator.fact(`${succeeded.length} decided, none failed; each owner is notified`);
}

async function exportLists({ surroundings, narrator, administrator }: Office, holders: readonly DemoAthlete[]): Promise<void> {
  narrator.begin('Wednesday: the files for the printer and for the insurer');
  const ids = holders.map(({ applicationId }) => applicationId);
  for (const [list, extension] of [
    ['print', 'zip'],
    ['insurance', 'xlsx'],
  ] as const) {
    await administrator.POST(`/admin/national/lists/${list}`, { body: { operation: 'clear' } });
    await administrator.POST(`/admin/national/lists/${list}`, { body: { operation: 'add', ids } });
    const { data: made } = await administrator.POST(`/admin/national/lists/${list}/export`, { body: { ids } });
    const params = { path: { uuid: made.file?.id ?? '' } };
    const content = await download(administrator.GET('/files/{uuid}', { params, parseAs: 'arrayBuffer' }));
    narrator.fact(`${list}: ${made.count} records, ${Math.round(content.length / 1024)} KB`);
    narrator.open(`the file for the ${list} list`, storeOutput(surroundings, `${list}-${made.id}.${extension}`, content));
  }
}

async function correctMoney(office: Office, { client }: DemoAthlete): Promise<void> {
  const { narrator } = office;
  narrator.begin('Thursday: a cash payment is booked, then reversed');
  const id = await bookCash(office, client, 'Төлем кассада қолма-қол қабылданды');
  narrator.fact(`transaction ${id}; the wallet holds ${await balanceOf(client)} KZT`);
  await reverseTransaction(office, id, 'Қате шотқа жазылды');
  narrator.fact(`reversed; the wallet holds ${await balanceOf(client)} KZT, and the ledger keeps both`);
}

/** Books a cash payment to a person's wallet. @returns the transaction's id */
export async function bookCash(
  { surroundings, administrator }: Pick<Office, 'surroundings' | 'administrator'>,
  person: DemoClient,
  reason: string,
): Promise<number> {
  const { user } = (await person.GET('/account')).data;
  const { password } = surroundings.administrator;
  const { data: correction } = await administrator.POST('/admin/ledger/corrections', {
    params: { header: { ...administrator.header, 'Idempotency-Key': randomUUID() } },
    body: { user_id: user.id, amount: '1500.00', direction: 'credit', reason, password },
  });
  return correction.id;
}

export async function reverseTransaction(
  { surroundings, administrator }: Pick<Office, 'surroundings' | 'administrator'>,
  id: number,
  reason: string,
): Promise<void> {
  await administrator.POST('/admin/ledger/{entry_id}/reverse', {
    params: { path: { entry_id: id }, header: administrator.header },
    body: { reason, password: surroundings.administrator.password },
  });
}

async function balanceOf(client: DemoClient): Promise<string> {
  return tenge((await client.GET('/wallet')).data.balance_minor);
}

async function transfer({ surroundings, narrator, administrator }: Office, { client, profileId, number }: DemoAthlete): Promise<void> {
  narrator.begin("Friday: an athlete's profile is transferred to the account of a parent");
  const { client: parent, email } = await registerPerson(surroundings, parentName);
  const idOf = async (person: DemoClient) => (await person.GET('/account')).data.user.id;
  const [from, to] = [await idOf(client), await idOf(parent)];
  const { data: preview } = await administrator.GET('/admin/profiles/{id}/owner/preview', {
    params: { path: { id: profileId }, query: { target_user_id: to } },
  });
  const counts = Object.entries(preview.counts).filter(([, count]) => count > 0);
  narrator.fact(`would move: ${counts.map(([kind, count]) => `${kind} ${count}`).join(', ')}`);
  await administrator.PUT('/admin/profiles/{id}/owner', {
    ...at(profileId),
    body: { current_user_id: from, target_user_id: to, reason: 'Заңды өкілдің өтініші', password: surroundings.administrator.password },
  });
  if ((await statusOf(client.GET('/profiles/{id}', at(profileId)))) !== 404)
    throw new DemoFailure('the former owner still sees the profile');
  const { name } = (await parent.GET('/profiles/{id}', at(profileId))).data;
  narrator.fact(`${email} owns the profile of ${name} and certificate ${number}; the former owner sees neither`);
}

/** Shows an unpaid invoice that expires unnoticed. */
async function repair({ calendar, narrator, administrator }: Office, { client }: DemoAthlete): Promise<void> {
  const { data: invoice } = await client.POST('/invoices', {
    params: { header: { 'Idempotency-Key': randomUUID() } },
    body: { amount: '500.00' },
  });
  await client.POST('/invoices/{id}/checkout', at(invoice.id));
  narrator.begin(
    `Saturday: the clock moves to ${formatDateTime(calendar.afterAt)}; an invoice has expired, and its process has not noticed`,
  );
  await moveClock(client.baseUrl, calendar.afterAt);
  const { data: stuck } = await administrator.GET('/admin/processes', {
    params: { query: { state: 'stuck', kind: 'invoice', q: String(invoice.id) } },
  });
  const [row] = stuck;
  // The sweeper runs every minute and may have been first.
  if (row) {
    narrator.fact(`${row.workflow_id}: stuck since ${row.since}`);
    narrator.open('its process', row.url);
    await administrator.POST('/admin/processes/{kind}/{id}/actions', {
      params: { path: { kind: 'invoice', id: invoice.id } },
      body: { action: 'ask_bank', reason: 'Клиент шоттың не болғанын сұрайды' },
    });
  } else {
    narrator.fact('the sweeper has already processed it');
  }
  expectStatus((await client.GET('/invoices/{id}', at(invoice.id))).data, 'expired', 'the invoice');
  narrator.fact('the bank answers: not paid; the invoice is expired');
  const { data: written } = await administrator.GET('/admin/audit', { params: { query: { limit: 5 } } });
  narrator.fact(`the last audit rows: ${written.map(({ action }) => action).join(', ')}`);
}

/** Shows the second factor of a new administrator, with codes computed as an authenticator application does, and its removal. */
async function protectColleague({ surroundings, narrator, administrator }: Office): Promise<void> {
  narrator.begin('Sunday: a new colleague protects the account with a second factor');
  const { password: officePassword } = surroundings.administrator;
  const { client, email, password } = await registerPerson(surroundings);
  const { user } = (await client.GET('/account')).data;
  const { id } = user;
  await confirmAddress(surroundings, { client, email });
  narrator.fact('the colleague confirms the address; an account without a confirmed one cannot become an administrator');
  await administrator.PATCH('/admin/users/{id}', {
    params: { path: { id }, header: administrator.header },
    body: { role: 'administrator', password: officePassword },
  });
  const signIn = async () => {
    await client.renewSession();
    const { data: answer } = await client.POST('/auth/login', { params: { header: client.header }, body: { email, password } });
    await client.renewSession();
    return answer;
  };
  await signIn();
  const { secret } = (await client.POST('/account/second-factor', { params: { header: client.header }, body: { password } })).data;
  const totp = new TOTP({ secret });
  // A code counts once. The login uses that of the next 30 seconds, which is accepted already.
  const codeAt = (secondsFromNow: number) => totp.generate({ timestamp: Date.now() + secondsFromNow * 1_000 });
  const { recovery_codes: recoveryCodes } = (
    await client.POST('/account/second-factor/confirm', { params: { header: client.header }, body: { code: codeAt(0) } })
  ).data;
  narrator.fact(`the application reads a QR code; its first code confirms it; ${recoveryCodes.length} recovery codes`);
  await client.POST('/auth/logout', { params: { header: client.header } });
  const { second_factor_required: isRequired } = await signIn();
  if (isRequired !== true || (await statusOf(client.GET('/admin/overview'))) !== 403)
    throw new DemoFailure('the password alone signs the colleague in');
  await client.POST('/auth/second-factor', { params: { header: client.header }, body: { code: codeAt(30) } });
  await client.renewSession();
  await client.GET('/admin/overview');
  narrator.fact('the password alone opens nothing; password and code open the administration');
  const reason = 'Әріптестің телефоны жоғалды, жеке куәлігі тексерілді';
  await administrator.DELETE('/admin/users/{id}/second-factor', {
    params: { path: { id }, header: administrator.header },
    body: { reason, password: officePassword },
  });
  await administrator.PATCH('/admin/users/{id}', {
    params: { path: { id }, header: administrator.header },
    body: { role: 'user', password: officePassword },
  });
  if ((await statusOf(client.GET('/account'))) !== 401) throw new DemoFailure('a session of the colleague is still open');
  narrator.fact('the telephone is lost: the office removes the second factor with a reason, and all sessions end');
}
