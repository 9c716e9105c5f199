import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';

const agent = new Agent({ keepAlive: true });

/** What the load reads of an answer; what is posted to has the fields that are asked of it. */
export interface Posted {
  id: number;
  number: string;
  status: string;
}

/**
 * Posts JSON over kept connections and does little else: the load shares the machine with what is measured.
 * @returns the `data` of the answer
 * @throws {Error} with the answer when its status is another
 */
export function post(url: string, status: number, key: string | null = null, body?: unknown): Promise<Posted> {
  const headers = {
    'idempotency-key': randomUUID(),
    ...(key === null ? {} : { authorization: `Bearer ${key}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode === status) resolve((JSON.parse(text) as { data: Posted }).data);
        else reject(new Error(`expected ${status}, got ${response.statusCode}: ${text}`));
      });
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
