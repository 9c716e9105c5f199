import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Bank, BankUnavailableError, signFields } from '../../src/platform/bank/bank.ts';
import { createBank } from '../../src/platform/bank/http-bank.ts';
import { startBankSimulator } from '../../src/tools/simulators/bank/server.ts';
import type { Simulator } from '../../src/tools/simulators/simulator.ts';
import { waitFor } from '../support/wait-for.ts';

const terminal = 'T-100';
const secret = 'a-secret-shared-with-the-bank';
let numbers = 100_000;
const nextInvoice = (amountMinor = 1_297_500) => ({ number: String(++numbers), amountMinor, currency: 'KZT' as const });

type Hint = Record<string, unknown> & { invoice_number: string };

/** A shop that counts its callbacks and can refuse the first of them. */
async function startShop(): Promise<{ url: string; hints: Hint[]; refuse: (count: number) => void; close: () => Promise<void> }> {
  const hints: Hint[] = [];
  let refusals = 0;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      if (refusals > 0) {
        refusals -= 1;
        response.writeHead(503).end();
        return;
      }
      hints.push(JSON.parse(body) as Hint);
      response.end('{}');
    });
  });
  await listen(server);
  return { url: `${urlOf(server)}/callback`, hints, refuse: (count) => (refusals = count), close: () => stop(server) };
}

const listen = (server: Server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const stop = (server: Server) =>
  new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

describe('the bank port against the simulator', () => {
  let shop: Awaited<ReturnType<typeof startShop>>;
  let simulator: Simulator;
  let bank: Bank;

  beforeAll(async () => {
    shop = await startShop();
    simulator = await startBankSimulator({ port: 0, terminal, secret, callbackUrl: shop.url });
    bank = createBank({ url: simulator.url, terminal, secret, timeoutMs: 2000 });
  });
  afterAll(async () => {
    await simulator.close();
    await shop.close();
  });

  const control = async (number: string, body: unknown) => {
    const response = await fetch(`${simulator.url}/control/${number}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const hintsFor = (number: string) => shop.hints.filter((hint) => hint.invoice_number === number);
  const hinted = (number: string, count = 1) =>
    waitFor(
      () => hintsFor(number),
      (hints) => hints.length === count,
      `${count} callback(s)`,
    );
  const checkout = (invoice: ReturnType<typeof nextInvoice>) =>
    bank.checkout({ ...invoice, callbackUrl: shop.url, returnUrl: 'http://127.0.0.1:1/wallet?a=1&b=2' });
  const post = (url: string, fields: Record<string, string>) => fetch(url, { method: 'POST', body: new URLSearchParams(fields) });

  /** Fills in the page's form with the given decision, as a browser would. */
  const click = async (html: string, decision: 'pay' | 'refuse') => {
    const form = html.split('<form').find((part) => part.includes(`value="${decision}"`)) ?? '';
    const action = /action="([^"]+)"/.exec(form)?.[1] ?? '';
    const ticket = /name="ticket" value="([^"]+)"/.exec(form)?.[1] ?? '';
    return post(`${simulator.url}${action}`, { ticket, decision });
  };

  it('lets a person pay on the page, calls back, and names the payment', async () => {
    const invoice = nextInvoice();
    const form = checkout(invoice);
    const page = await post(form.action, form.fields);
    const html = await page.text();
    expect(page.status).toBe(200);
    expect(html).toContain(invoice.number);
    expect(html.replaceAll(/\s/g, ' ')).toContain('12 975,00 KZT');
    expect(html).not.toContain('<script');
    expect(await bank.queryStatus(invoice)).toMatchObject({ state: 'pending', reference: null, paidAt: null });

    const result = await click(html, 'pay');
    expect(result.status).toBe(200);
    expect(await result.text()).toContain('href="http://127.0.0.1:1/wallet?a=1&amp;b=2"');
    expect(await bank.queryStatus(invoice)).toEqual({
      state: 'paid',
      invoiceNumber: invoice.number,
      amountMinor: invoice.amountMinor,
      currency: 'KZT',
      terminal,
      reference: expect.stringMatching(/^RRN\d{12}$/),
      paidAt: expect.any(String),
    });
    await hinted(invoice.number);

    await click(html, 'refuse');
    expect((await bank.queryStatus(invoice)).state).toBe('paid');
  });

  it('lets a person refuse', async () => {
    const invoice = nextInvoice();
    const form = checkout(invoice);
    await click(await (await post(form.action, form.fields)).text(), 'refuse');
    expect(await bank.queryStatus(invoice)).toMatchObject({ state: 'failed', reference: null });
    await hinted(invoice.number);
  });

  it('refuses a form with a changed amount', async () => {
    const form = checkout(nextInvoice());
    const page = await post(form.action, { ...form.fields, amount: '100' });
    expect(page.status).toBe(401);
  });

  it('escapes its output and accepts only web addresses as the return address', async () => {
    const fields = { ...checkout(nextInvoice()).fields, return_url: 'javascript:alert(1)' };
    const page = await post(`${simulator.url}/pay`, { ...fields, signature: signFields(fields, secret) });
    expect(page.status).toBe(422);
  });

  it('refuses a decision without the ticket of the page', async () => {
    const invoice = nextInvoice();
    const form = checkout(invoice);
    await post(form.action, form.fields);
    expect((await post(`${simulator.url}/pay/${invoice.number}`, { ticket: 'guess', decision: 'pay' })).status).toBe(404);
    expect((await bank.queryStatus(invoice)).state).toBe('pending');
  });

  it.each([
    ['a wrong secret', { url: 'same', terminal, secret: 'another' }],
    ['a wrong terminal', { url: 'same', terminal: 'T-999', secret }],
    ['a stale query', { url: 'same', terminal, secret, now: () => Date.now() - 3_600_000 }],
  ])('does not answer %s', async (_what, options) => {
    const impostor = createBank({ ...options, url: simulator.url, timeoutMs: 2000 });
    await expect(impostor.queryStatus(nextInvoice())).rejects.toThrow('the bank answered with status 401');
  });

  it('refuses the signature of one invoice for another', async () => {
    const query: Record<string, string> = { terminal, amount: '100', currency: 'KZT', ts: String(Date.now()) };
    const signature = signFields({ ...query, invoice: '1111111' }, secret);
    const response = await fetch(`${simulator.url}/status/2222222?${new URLSearchParams({ ...query, signature }).toString()}`);
    expect(response.status).toBe(401);
  });

  it.each([
    ['wrong_amount', { amountMinor: 1_297_400 }],
    ['wrong_currency', { currency: 'USD' }],
    ['wrong_terminal', { terminal: `${terminal}-OTHER` }],
  ])('reports a payment with %s, without an opened form', async (outcome, difference) => {
    const invoice = nextInvoice();
    expect((await control(invoice.number, { outcome })).body).toMatchObject({ state: 'paid', outcome });
    const right = { state: 'paid', invoiceNumber: invoice.number, amountMinor: invoice.amountMinor, currency: 'KZT', terminal };
    expect(await bank.queryStatus(invoice)).toMatchObject({ ...right, ...difference });
    await hinted(invoice.number);
  });

  it('names another invoice, and the callback still arrives', async () => {
    const invoice = nextInvoice();
    await control(invoice.number, { outcome: 'wrong_invoice' });
    const answer = await bank.queryStatus(invoice);
    expect(answer).toMatchObject({ state: 'paid', amountMinor: invoice.amountMinor });
    expect(answer.invoiceNumber).not.toBe(invoice.number);
    await hinted(invoice.number);
  });

  it('pays late: pending first, then paid with a callback', async () => {
    const invoice = nextInvoice();
    const late = await control(invoice.number, { outcome: 'late', delay_ms: 400 });
    expect(late.body).toMatchObject({ state: 'pending', outcome: 'late', callbacks_left: 1 });
    expect((await bank.queryStatus(invoice)).state).toBe('pending');
    expect(hintsFor(invoice.number)).toHaveLength(0);
    await hinted(invoice.number);
    expect(await bank.queryStatus(invoice)).toMatchObject({ state: 'paid', amountMinor: invoice.amountMinor });
  });

  it('calls back as often as configured, for the same payment', async () => {
    const invoice = nextInvoice();
    await control(invoice.number, { outcome: 'twice', times: 3 });
    await hinted(invoice.number, 3);
    const [first, second] = [await bank.queryStatus(invoice), await bank.queryStatus(invoice)];
    expect(second).toEqual(first);
    expect(new Set(hintsFor(invoice.number).map((hint) => hint['reference']))).toEqual(new Set([first.reference]));
    expect((await control(invoice.number, { outcome: 'twice' })).body).toMatchObject({ callbacks_left: 2 });
  });

  it('retries a callback that the shop refused', async () => {
    const invoice = nextInvoice();
    shop.refuse(1);
    await control(invoice.number, { outcome: 'paid' });
    await hinted(invoice.number);
    expect(hintsFor(invoice.number)).toHaveLength(1);
  });

  it('fails as often as configured, then answers the actual state', async () => {
    const invoice = nextInvoice();
    await control(invoice.number, { outcome: 'paid' });
    await control(invoice.number, { outcome: 'error', times: 2 });
    await expect(bank.queryStatus(invoice)).rejects.toThrow('the bank answered with status 500');
    await expect(bank.queryStatus(invoice)).rejects.toThrow(BankUnavailableError);
    expect((await bank.queryStatus(invoice)).state).toBe('paid');
  });

  it('times out until a later control changes that', async () => {
    const invoice = nextInvoice();
    await control(invoice.number, { outcome: 'timeout' });
    const impatient = createBank({ url: simulator.url, terminal, secret, timeoutMs: 150 });
    await expect(impatient.queryStatus(invoice)).rejects.toThrow('the bank did not answer within 150 ms');
    await control(invoice.number, { outcome: 'timeout', delay_ms: 10 });
    await expect(bank.queryStatus(invoice)).rejects.toThrow('the bank cannot be reached');
    await control(invoice.number, { outcome: 'failed' });
    expect((await bank.queryStatus(invoice)).state).toBe('failed');
  });

  it('shows what happened to an invoice', async () => {
    const invoice = nextInvoice();
    await control(invoice.number, { outcome: 'paid' });
    await bank.queryStatus(invoice);
    const shown = (await (await fetch(`${simulator.url}/control/${invoice.number}`)).json()) as { history: { event: string }[] };
    expect(shown.history.map((entry) => entry.event)).toEqual(expect.arrayContaining(['control', 'question']));
    expect(await (await fetch(simulator.url)).text()).toContain(invoice.number);
  });

  it.each([
    [{}, 'outcome'],
    [{ outcome: 'maybe' }, 'outcome'],
    [{ outcome: 'paid', delay_ms: -1 }, 'delay_ms'],
    [{ outcome: 'paid', times: 0 }, 'times'],
  ])('refuses the control %j', async (body, path) => {
    const answer = await control('1234567', body);
    expect(answer).toMatchObject({ status: 422, body: { error: { code: 'validation_failed', details: { fields: [{ path }] } } } });
  });

  it('refuses unknown fields, broken JSON, foreign content types and long bodies', async () => {
    expect((await control('1234567', { outcome: 'paid', extra: 1 })).status).toBe(422);
    expect((await control('12ab', { outcome: 'paid' })).status).toBe(422);
    const send = (body: string, type: string) =>
      fetch(`${simulator.url}/control/1234567`, { method: 'POST', headers: { 'content-type': type }, body });
    expect((await send('{', 'application/json')).status).toBe(400);
    expect((await send('{"outcome":"paid"}', 'text/plain')).status).toBe(415);
    expect((await send(`"${'x'.repeat(70_000)}"`, 'application/json')).status).toBe(413);
    expect((await fetch(`${simulator.url}/control/1234567`, { method: 'DELETE' })).status).toBe(405);
    expect((await fetch(`${simulator.url}/nothing`)).status).toBe(404);
  });
});

test('a new secret: the bank accepts both while they overlap, then the new one only', async () => {
  const [former, current] = [secret, 'the-next-secret-shared-with-the-bank'];
  const invoice = nextInvoice();
  const fields = { ...invoice, callbackUrl: 'http://127.0.0.1:1/callback', returnUrl: 'http://127.0.0.1:1/wallet' };
  /** What the bank answers to a form and a query of a shop with this secret. */
  const answersTo = async (url: string, shopSecret: string) => {
    const bank = createBank({ url, terminal, secret: shopSecret, timeoutMs: 2000 });
    const form = bank.checkout(fields);
    const page = await fetch(form.action, { method: 'POST', body: new URLSearchParams(form.fields) });
    await page.body?.cancel();
    return [page.status, await bank.queryStatus(invoice).then(({ state }) => state, String)];
  };
  const overlap = await startBankSimulator({ port: 0, terminal, secret: current, formerSecret: former });
  try {
    expect(await answersTo(overlap.url, former)).toEqual([200, 'pending']);
    expect(await answersTo(overlap.url, current)).toEqual([200, 'pending']);
  } finally {
    await overlap.close();
  }
  const afterwards = await startBankSimulator({ port: 0, terminal, secret: current });
  try {
    expect(await answersTo(afterwards.url, current)).toEqual([200, 'pending']);
    expect(await answersTo(afterwards.url, former)).toEqual([401, expect.stringContaining('status 401')]);
  } finally {
    await afterwards.close();
  }
});

describe('the state of the simulator', () => {
  it('keeps payments and pending callbacks over a restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bank-'));
    const shop = await startShop();
    try {
      const file = join(folder, 'deep', 'bank.json');
      const start = () => startBankSimulator({ port: 0, terminal, secret, file, callbackUrl: shop.url });
      const first = await start();
      for (const body of [{ outcome: 'paid' }, { outcome: 'late', delay_ms: 300 }]) {
        await fetch(`${first.url}/control/${body.outcome === 'paid' ? 7001 : 7002}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
      }
      await first.close();
      // The file of a process that was killed while it wrote.
      await appendFile(file, '{"number":"7001","settl');
      const second = await start();
      const bank = createBank({ url: second.url, terminal, secret, timeoutMs: 2000 });
      expect((await bank.queryStatus({ number: '7001', amountMinor: 100, currency: 'KZT' })).state).toBe('paid');
      await waitFor(
        () => shop.hints,
        (hints) => hints.some((hint) => hint.invoice_number === '7002' && hint['state'] === 'paid'),
        'the late callback',
      );
      await second.close();
    } finally {
      await shop.close();
      await rm(folder, { recursive: true });
    }
  });

  it('refuses to start with a file of another program', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bank-'));
    const file = join(folder, 'bank.json');
    await writeFile(file, '{"version": 99}');
    await expect(startBankSimulator({ port: 0, terminal, secret, file })).rejects.toThrow('remove it to start with an empty');
    await rm(folder, { recursive: true });
  });

  it('forgets the oldest invoices beyond its limit', async () => {
    const simulator = await startBankSimulator({ port: 0, terminal, secret, limit: 2 });
    const bank = createBank({ url: simulator.url, terminal, secret, timeoutMs: 2000 });
    for (const number of ['8001', '8002', '8003']) await bank.queryStatus({ number, amountMinor: 100, currency: 'KZT' });
    const known = await Promise.all(
      ['8001', '8002', '8003'].map(async (number) => (await fetch(`${simulator.url}/control/${number}`)).status),
    );
    expect(known).toEqual([404, 200, 200]);
    await simulator.close();
  });
});

describe('unusable answers', () => {
  let server: Server;
  let respond: (response: ServerResponse) => void;
  beforeAll(async () => {
    server = createServer((_request, response) => respond(response));
    await listen(server);
  });
  afterAll(() => stop(server));

  const good = {
    state: 'paid',
    invoice_number: '1',
    amount_minor: 100,
    currency: 'KZT',
    terminal,
    reference: 'R',
    paid_at: '2026-01-01T00:00:00Z',
  };
  const cases: [string, string, (response: ServerResponse) => void][] = [
    ['not JSON', 'is not JSON', (response) => response.end('<html>')],
    ['a missing field', 'cannot be read: terminal', (response) => response.end(JSON.stringify({ ...good, terminal: undefined }))],
    ['a fraction of a tiyn', 'cannot be read: amount_minor', (response) => response.end(JSON.stringify({ ...good, amount_minor: 0.5 }))],
    ['an unknown state', 'cannot be read: state', (response) => response.end(JSON.stringify({ ...good, state: 'refunded' }))],
    ['a redirect', 'cannot be reached', (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
    ['an endless answer', 'too long', (response) => response.end('x'.repeat(200_000))],
    ['a broken connection', 'cannot be reached', (response) => response.destroy()],
  ];
  it.each(cases)('%s', async (_what, message, answer) => {
    respond = answer;
    const bank = createBank({ url: urlOf(server), terminal, secret, timeoutMs: 1000 });
    const error: unknown = await bank.queryStatus(nextInvoice()).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BankUnavailableError);
    expect((error as Error).message).toContain(message);
    expect((error as Error).message).not.toContain(secret);
  });

  it('there is no bank without an address', async () => {
    const bank = createBank({ timeoutMs: 1000 });
    expect(bank.enabled).toBe(false);
    await expect(bank.queryStatus(nextInvoice())).rejects.toMatchObject({ name: 'BankUnavailableError', retryable: false });
    expect(() => createBank({ url: 'http://127.0.0.1:1', timeoutMs: 1000 })).toThrow(TypeError);
  });
});
