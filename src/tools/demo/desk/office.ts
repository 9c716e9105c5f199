import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import type { Variables } from '../../../registry/config.ts';
import { bookCash, reverseTransaction } from '../administration.ts';
import { at, type DemoClient, DemoFailure, download, openBrowser, statusOf } from '../client.ts';
import { checkOut, payInvoice, solveCaptcha, tenge } from '../people.ts';
import { type DeskAthlete, silent, type World } from './athletes.ts';
import { planDriftEvent } from './events.ts';

/** Sets how the bank's simulator answers about an invoice. */
async function setBank(form: { action: string }, invoice: { number: string }, control: object): Promise<void> {
  const response = await fetch(new URL(`/control/${invoice.number}`, form.action), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(control),
  });
  if (!response.ok) throw new DemoFailure(`${response.url} answered ${response.status}: ${await response.text()}`);
}

const find = (athletes: readonly DeskAthlete[], story: string) => athletes.filter((one) => one.story === story);

/** Opens an invoice whose money comes after its last day. @returns lets the money come, which raises an incident */
export async function openLateInvoice(athletes: readonly DeskAthlete[]): Promise<() => Promise<void>> {
  const [athlete] = find(athletes, 'unpaid');
  if (!athlete) throw new DemoFailure('no athlete has an unpaid application');
  const { invoice, form } = await checkOut(athlete.client, '9000.00');
  return async () => {
    await setBank(form, invoice, { outcome: 'paid' });
    await athlete.client.POST('/invoices/{id}/verify', at(invoice.id));
  };
}

/** Opens an invoice that waits for the bank, and one about which the bank reports another amount. */
export async function openInvoices(athletes: readonly DeskAthlete[]): Promise<void> {
  const [waiting, wrong] = find(athletes, 'medicalReturned');
  if (!waiting || !wrong) throw new DemoFailure('no athlete has a returned document');
  await checkOut(waiting.client, '15500.00');
  const { invoice, form } = await checkOut(wrong.client, '8650.00');
  await setBank(form, invoice, { outcome: 'wrong_amount' });
  await wrong.client.POST('/invoices/{id}/verify', at(invoice.id));
}

/** Books cash, and reverses a payment that was booked twice. */
export async function correctLedger(world: World, athletes: readonly DeskAthlete[]): Promise<void> {
  const [first, second] = find(athletes, 'certified');
  if (!first || !second) throw new DemoFailure('no athlete has a certificate');
  await bookCash(world, first.client, 'Төлем кассада қолма-қол қабылданды, түбіртек № 118');
  const id = await bookCash(world, second.client, 'Оплата наличными, квитанция № 119');
  await reverseTransaction(world, id, 'Квитанция № 119 записана дважды');
}

const questions = [
  ['Добрый день! Когда рассмотрят мои документы? Соревнования уже через две недели.', 'Медицинскую справку я заменил.'],
  ['Здравствуйте! Спасибо, а как оплатить сертификат?'],
  ['Фотосуретім неге қайтарылды?', 'Жаңасын жүктедім, тексеріп жіберіңізші.', 'Рақмет!'],
  ['Сәлеметсіз бе! A санатының сертификатымен раллиге қатысуға бола ма?'],
] as const;

/** Writes to the federation; messages stay unread. @param turn picks the athlete and the question */
export async function askQuestion({ administrator }: World, athletes: readonly DeskAthlete[], turn: number): Promise<void> {
  const athlete = find(athletes, 'new')[turn];
  if (!athlete) throw new DemoFailure('no new athlete is left to ask');
  if (turn === 1) {
    const { user } = (await athlete.client.GET('/account')).data;
    await administrator.POST('/admin/chats/{user_id}/messages', {
      params: { path: { user_id: user.id } },
      body: { message: 'Добрый день! Ваша заявка принята и ждёт оплаты.' },
    });
  }
  for (const message of questions[turn] ?? []) await athlete.client.POST('/chat/messages', { body: { message } });
}

const letters = [
  { name: 'Гүлбану Сейдахметова', email: 'gulbanu@example.kz', message: 'Балам 9 жаста. Картингке қай жастан бастап қабылдайсыздар?' },
  { name: 'Юрий Ковальчук', email: 'y.kovalchuk@example.kz', message: 'Хочу получить лицензию судьи. С чего начать?' },
] as const;

/** Sends a message by the contact form. */
export async function writeLetter({ surroundings }: World, turn: 0 | 1): Promise<void> {
  const visitor = openBrowser(surroundings.baseUrl);
  await visitor.renewSession();
  const body = { ...letters[turn], ...(await solveCaptcha(surroundings, visitor, 'contact')) };
  await visitor.POST('/contact', { params: { header: visitor.header }, body });
}

/**
 * Makes processes stuck: certificates and an agreement that are due while the folder of files is away. A retry then succeeds, except for one
 * certificate whose photo stays lost.
 */
export async function loseFiles(world: World, athletes: readonly DeskAthlete[], filesDirectory: string): Promise<void> {
  const payers = find(athletes, 'unpaid').slice(-5);
  for (const { client, applicationId } of payers) {
    const { amount_minor: price } = (await client.GET('/applications/{id}', at(applicationId ?? 0))).data;
    await payInvoice(client, world.administrator, tenge(price), silent);
  }
  const event = await planDriftEvent(world, 'финал');
  const [unlucky] = payers;
  if (unlucky) await loseFile(filesDirectory, await photoOf(unlucky));
  await rename(filesDirectory, `${filesDirectory}.away`);
  try {
    for (const { client, applicationId } of payers) await client.POST('/applications/{id}/pay', at(applicationId ?? 0));
    await statusOf(event.organizer.POST('/contracts', { body: { event_id: event.id } }));
    await untilStuck(world.administrator, payers.length + 1);
  } finally {
    await rename(`${filesDirectory}.away`, filesDirectory);
  }
}

async function photoOf({ client, profileId }: DeskAthlete): Promise<Buffer> {
  const { photo_id: uuid } = (await client.GET('/profiles/{id}', at(profileId))).data;
  return download(client.GET('/files/{uuid}', { params: { path: { uuid: uuid ?? '' } }, parseAs: 'arrayBuffer' }));
}

/** Removes a stored file; the registry alone knows its name. */
async function loseFile(directory: string, content: Buffer): Promise<void> {
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && content.equals(await readFile(path))) return rm(path);
  }
  throw new DemoFailure(`no file in ${directory} has the photo`);
}

async function untilStuck({ GET }: DemoClient, count: number): Promise<void> {
  for (let attempt = 0; attempt < 120; attempt += 1) {
    if ((await GET('/admin/overview')).data.processes.stuck >= count) return;
    await setTimeout(500);
  }
  throw new DemoFailure(`fewer than ${count} processes are stuck`);
}

/** Ends two workflows, as an operator can by mistake: their processes have failed. */
export async function endWorkflows(config: Variables, athletes: readonly DeskAthlete[]): Promise<void> {
  const connection = await Connection.connect({ address: config.TEMPORAL_ADDRESS ?? '' });
  try {
    const client = new Client({ connection, namespace: config.TEMPORAL_NAMESPACE });
    for (const { applicationId } of find(athletes, 'undecided').slice(0, 2))
      await client.workflow.getHandle(`application/${applicationId}`).terminate('ended by mistake');
  } finally {
    await connection.close();
  }
}
