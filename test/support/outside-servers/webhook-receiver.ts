import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** What arrived at a receiver. */
export interface Arrival {
  id: string;
  headers: IncomingHttpHeaders;
  text: string;
  change: { id: string; type: string; subject: string; data: { id: number | string; status?: string; url: string } };
  at: number;
}

/** Receivers of webhooks in one server, by the path of their address. */
export async function startWebhookReceivers() {
  const arrivals = new Map<string, Arrival[]>();
  const behaviours = new Map<string, (response: ServerResponse, arrival: Arrival) => void>();
  const server = createServer(async (request, response) => {
    const name = request.url ?? '';
    const content = await text(request);
    const arrival = {
      id: String(request.headers['webhook-id']),
      headers: request.headers,
      text: content,
      change: JSON.parse(content),
      at: Date.now(),
    };
    arrivals.set(name, [...(arrivals.get(name) ?? []), arrival]);
    (behaviours.get(name) ?? ((answer) => void answer.end()))(response, arrival);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let made = 0;
  return {
    /** A new receiver that answers 200. */
    make() {
      made += 1;
      // None begins with another: a life looks for addresses in texts.
      const path = `/receiver-${made}/`;
      return {
        url: base + path,
        arrivals: () => arrivals.get(path) ?? [],
        answers: (behave: (response: ServerResponse, arrival: Arrival) => void) => void behaviours.set(path, behave),
      };
    },
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
export type WebhookReceivers = Awaited<ReturnType<typeof startWebhookReceivers>>;

/** Signatures of a delivery that this secret made. */
export function countSignatures({ headers, text: content }: Arrival, secret: string): number {
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${content}`;
  const expected = createHmac('sha256', Buffer.from(secret.replace('whsec_', ''), 'base64'))
    .update(signed)
    .digest('base64');
  return String(headers['webhook-signature'])
    .split(' ')
    .filter((signature) => signature === `v1,${expected}`).length;
}
