import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { definitions } from '../../src/registry/areas.ts';
import { loadConfig } from '../../src/registry/config.ts';
import { BankUnavailableError } from '../../src/platform/bank/bank.ts';
import { createBank } from '../../src/platform/bank/http-bank.ts';
import { createLog } from '../../src/platform/logging/log.ts';
import { MailUnavailableError } from '../../src/platform/mail/mailer.ts';
import { createSmtpMailer } from '../../src/platform/mail/smtp-mailer.ts';
import { processRef } from '../../src/platform/workflows/process-ref.ts';
import { createS3Storage } from '../../src/platform/storage/s3-storage.ts';
import { StorageUnavailableError } from '../../src/platform/storage/storage.ts';
import { connectProcesses } from '../../src/platform/workflows/temporal-processes.ts';
import { reconsiderUpdate } from '../../workflows/contracts/process.contract.ts';
import { waitFor } from '../support/wait-for.ts';

/** Servers accept a connection and then send nothing, or stop midway: callers wait no longer than their timeouts. */
interface SilentServer {
  port: number;
  /** Connections that are still open. */
  open: Set<Socket>;
}

const servers: Server[] = [];
const sockets = new Set<Socket>();

/** @param speak sends the data before the silence */
async function silentServer(speak: (socket: Socket) => void = () => undefined): Promise<SilentServer> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    for (const set of [open, sockets]) set.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
    speak(socket);
    socket.resume();
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, open };
}

afterAll(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
});

/** Time until something fails, milliseconds. */
async function timeToFail(work: Promise<unknown>, failure: unknown): Promise<number> {
  const start = performance.now();
  await expect(work).rejects.toThrow(failure as Error);
  return performance.now() - start;
}

/** A caller without a timeout waits forever; a busy machine is late by seconds. */
const slackMs = 20_000;

const given = (socket: Socket, text: string) => {
  socket.once('data', () => void socket.write(text));
};

describe('a bank that accepts the request and answers', () => {
  const timeoutMs = 300;
  const ask = ({ port }: SilentServer) =>
    createBank({ url: `http://127.0.0.1:${port}`, terminal: 'T', secret: 'a-secret', timeoutMs }).queryStatus({
      number: '100000',
      amountMinor: 100_000,
      currency: 'KZT',
    });

  test.each<[string, (socket: Socket) => void]>([
    ['nothing', () => undefined],
    ['half of its headers', (socket) => given(socket, 'HTTP/1.1 200 OK\r\nContent-Ty')],
    ['half of its answer', (socket) => given(socket, 'HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\n{"state":')],
    [
      'a byte now and then',
      (socket) => {
        given(socket, 'HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\n{');
        const timer = setInterval(() => socket.writable && socket.write(' '), 50);
        socket.once('close', () => clearInterval(timer));
      },
    ],
  ])('%s', async (_, speak) => {
    const bank = await silentServer(speak);
    expect(await timeToFail(ask(bank), BankUnavailableError)).toBeLessThan(timeoutMs + slackMs);
    await waitFor(
      () => bank.open.size,
      (count) => count === 0,
      'the connection to be released',
    );
  });
});

describe('an S3 that accepts a request and answers', () => {
  const timeouts = { connectMs: 200, answerMs: 300, chunkMs: 300, operationMs: 800, putMs: 1000 };
  const storageAt = ({ port }: SilentServer) =>
    createS3Storage({
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      bucket: 'registry-test',
      accessKeyId: 'key',
      secretAccessKey: 'secret',
      forcePathStyle: true,
      timeouts,
    });
  const facts = (size: number) => ({ contentType: 'text/plain', size });
  const large = 6 * 1024 * 1024;
  const operations: [string, (storage: ReturnType<typeof storageAt>) => Promise<unknown>, number][] = [
    ['get', (storage) => storage.get('ab/file'), timeouts.operationMs],
    ['stat', (storage) => storage.stat('ab/file'), timeouts.operationMs],
    ['delete', (storage) => storage.delete('ab/file'), timeouts.operationMs],
    ['check', (storage) => storage.check(), timeouts.operationMs],
    ['put of bytes', (storage) => storage.put('ab/file', Buffer.alloc(1000), facts(1000)), timeouts.putMs],
    ['put of a stream', (storage) => storage.put('ab/file', Readable.from([Buffer.alloc(1000)]), facts(1000)), timeouts.putMs],
    ['put in parts', (storage) => storage.put('ab/file', Readable.from([Buffer.alloc(large)]), facts(large)), timeouts.putMs],
  ];

  test.each(operations)('nothing: %s', async (_, run, withinMs) => {
    const s3 = await silentServer();
    expect(await timeToFail(run(storageAt(s3)), StorageUnavailableError)).toBeLessThan(withinMs + slackMs);
    await waitFor(
      () => s3.open.size,
      (count) => count === 0,
      'the connections to be released',
    );
  });

  test('nothing to two checks: operations are refused without a connection, until a check is answered', async () => {
    let answer: string | null = null;
    const s3 = await silentServer((socket) => {
      if (answer !== null) given(socket, answer);
    });
    const storage = storageAt(s3);
    for (let attempt = 0; attempt < 2; attempt += 1) await expect(storage.check()).rejects.toThrow(StorageUnavailableError);
    for (const [name, run] of operations) if (name !== 'check') await expect(run(storage)).rejects.toThrow('the storage does not answer');
    // Even a refusal is an answer.
    answer = 'HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n';
    await expect(storage.check()).rejects.toThrow(StorageUnavailableError);
    await expect(storage.stat('ab/file')).rejects.toThrow('the storage is unavailable');
  });

  test.each(operations.filter(([name]) => name.startsWith('put') || name === 'delete'))(
    'half of an answer: %s',
    async (_, run, withinMs) => {
      const s3 = await silentServer((socket) =>
        given(socket, 'HTTP/1.1 500 Error\r\nContent-Type: application/xml\r\nContent-Length: 500\r\n\r\n<Er'),
      );
      expect(await timeToFail(run(storageAt(s3)), StorageUnavailableError)).toBeLessThan(withinMs + slackMs);
    },
  );

  test('half of an object', async () => {
    const s3 = await silentServer((socket) => given(socket, 'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nthe first words'));
    const object = await storageAt(s3).get('ab/file');
    expect(await timeToFail(buffer(object), StorageUnavailableError)).toBeLessThan(timeouts.chunkMs + slackMs);
    await waitFor(
      () => s3.open.size,
      (count) => count === 0,
      'the connection to be released',
    );
  });

  test('all of it, to a slow reader: the object is complete', async () => {
    const size = 2_000_000;
    const s3 = await silentServer((socket) => {
      socket.once(
        'data',
        () => void socket.end(Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`), Buffer.alloc(size)])),
      );
    });
    let read = 0;
    for await (const piece of await storageAt(s3).get('ab/file')) {
      if (read === 0) await new Promise((resolve) => setTimeout(resolve, timeouts.chunkMs + timeouts.operationMs));
      read += (piece as Buffer).length;
    }
    expect(read).toBe(size);
  });

  test('a reader that closes releases its connection immediately', async () => {
    const s3 = await silentServer((socket) => given(socket, 'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nthe first words'));
    const object = await storageAt(s3).get('ab/file');
    object.read();
    expect(s3.open.size).toBe(1);
    object.destroy();
    await waitFor(
      () => s3.open.size,
      (count) => count === 0,
      'the connection to be released',
    );
  });
});

describe('a mail server that stops answering', () => {
  const timeoutMs = 300;
  /** The number of the client's lines that it answers. */
  const answers = (count: number) => (socket: Socket) => {
    if (count === 0) return;
    socket.write('220 test\r\n');
    let left = count - 1;
    socket.on('data', () => {
      if (left > 0) socket.write(left === 1 && count > 4 ? '354 go on\r\n' : '250 ok\r\n');
      left -= 1;
    });
  };

  test.each([
    ['before its greeting', 0, false],
    ['after its greeting', 1, false],
    ['after HELO', 2, false],
    ['after the receiver', 4, false],
    ['after DATA', 5, true],
  ])('%s', async (_, count, isOfMail) => {
    const server = await silentServer(answers(count));
    const mailer = createSmtpMailer({ url: `smtp://127.0.0.1:${server.port}`, from: 'registry@example.kz', timeoutMs });
    const sent = mailer.send({ to: 'person@example.kz', subject: 'Hello', text: 'Hello' });
    expect(await timeToFail(sent, MailUnavailableError)).toBeLessThan(timeoutMs + slackMs);
    // Without an answer to its text, only this mail waits.
    await expect(sent).rejects.toMatchObject({ isOfMail });
    await waitFor(
      () => server.open.size,
      (open) => open === 0,
      'the connection to be released',
    );
  });
});

test.each([
  ['its greeting', ''],
  ['its answers', '220 test\r\n'],
])('a mail server that continues with %s, slowly and without end', async (_, greeting) => {
  const [timeoutMs, totalMs] = [300, 900];
  const server = await silentServer((socket) => {
    socket.write(greeting);
    // The start of an answer of many lines.
    socket.write(greeting === '' ? '220-' : '250-');
    const timer = setInterval(() => socket.writable && socket.write('.'), 50);
    socket.once('close', () => clearInterval(timer));
  });
  const mailer = createSmtpMailer({ url: `smtp://127.0.0.1:${server.port}`, from: 'registry@example.kz', timeoutMs, totalMs });
  const sent = mailer.send({ to: 'person@example.kz', subject: 'Hello', text: 'Hello' });
  expect(await timeToFail(sent, MailUnavailableError)).toBeLessThan(totalMs + slackMs);
  await waitFor(
    () => server.open.size,
    (open) => open === 0,
    'the connection to be released',
  );
});

test('calls to a silent Temporal time out', async () => {
  const server = await silentServer();
  const config = loadConfig({ NODE_ENV: 'test', TEMPORAL_ADDRESS: `127.0.0.1:${server.port}`, SESSION_SECRET: 'x'.repeat(32) });
  const processes = await connectProcesses(config, createLog('test', 'silent'), definitions, async () => undefined);
  const invoice = processRef('invoice', 1);
  const start = performance.now();
  const results = await Promise.allSettled([
    processes.check(),
    processes.wake({ process: invoice, requestId: 'request' }),
    processes.ask(invoice, reconsiderUpdate.name, 'request'),
    processes.checkWorkers('bank'),
    processes.describe(invoice),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'rejected', 'fulfilled']);
  expect(results[2]).toMatchObject({ reason: { code: 'workflow_unavailable' } });
  expect(performance.now() - start).toBeLessThan(10_000 + slackMs);
  await processes.close();
});
