/**
 * A hostile client in a process of its own, told by messages what to send; while it waits for the answer it asks `/health/live` from
 * beside.
 */
import { request } from 'node:http';
import { type HostileContext, hostileInputs } from './hostile-inputs.ts';

export interface HostileOrder {
  url: string;
  name: string;
  context: HostileContext;
}

export interface HostileReport {
  status: number;
  body: string;
  /** The statuses of what was asked from beside. */
  live: number[];
}

function send(url: string, options: { method?: string; headers?: Record<string, string> }, body?: Buffer | Buffer[]) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    let isAnswered = false;
    const sent = request(url, { ...options, agent: false }, (response) => {
      isAnswered = true;
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('latin1').slice(0, 20_000) });
        sent.destroy();
      });
    });
    // A refusal may come, and the connection go, while there is still something to send.
    sent.on('error', (error) => {
      if (!isAnswered) reject(error);
    });
    if (Array.isArray(body)) {
      for (const piece of body) sent.write(piece);
      sent.end();
    } else sent.end(body);
  });
}

process.on('message', ({ url, name, context }: HostileOrder) => {
  void (async () => {
    const { method, path, headers, body } = hostileInputs[name]?.(context) ?? { method: 'GET', path: '/none', headers: {} };
    const live: number[] = [];
    const over = new AbortController();
    const beside = (async () => {
      while (!over.signal.aborted) {
        live.push((await send(`${url}/health/live`, {})).status);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    })();
    const announced = body === undefined || Array.isArray(body) ? {} : { 'content-length': String(body.length) };
    try {
      const answer = await send(`${url}${path}`, { method, headers: { ...headers, ...announced } }, body);
      over.abort();
      await beside;
      process.send?.({ ...answer, live } satisfies HostileReport);
    } catch (error) {
      over.abort();
      process.send?.({ status: 0, body: String(error), live } satisfies HostileReport);
    }
  })();
});
process.send?.('ready');
