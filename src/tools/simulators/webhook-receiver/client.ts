import type { z } from 'zod';
import type { controlSchema, InboxView } from './inboxes.ts';

/** An inbox of a running receiver, for tests and the demo. */
export interface WebhookInbox {
  /** Address for `POST /webhooks`. */
  url: string;
  /** Sets secrets and answer; omitted fields stay unchanged. */
  control(change: z.input<typeof controlSchema>): Promise<InboxView>;
  /** Returns the inbox with its deliveries, the newest first. */
  read(): Promise<InboxView>;
  /** Forgets the deliveries, and with them which ids came before. */
  clear(): Promise<void>;
}

/** Creates an inbox, or opens a known one. @throws {Error} when the receiver refuses */
export async function openWebhookInbox(receiverUrl: string, name: string): Promise<WebhookInbox> {
  const address = `${receiverUrl}/control/${name}`;
  const ask = async (method: string, url: string, body?: unknown): Promise<Response> => {
    const response = await fetch(url, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    if (!response.ok) throw new Error(`the webhook receiver answered ${response.status} to ${method} ${url}: ${await response.text()}`);
    return response;
  };
  const inbox: WebhookInbox = {
    url: `${receiverUrl}/hooks/${name}`,
    control: async (change) => (await (await ask('POST', address, change)).json()) as InboxView,
    read: async () => (await (await ask('GET', address)).json()) as InboxView,
    clear: async () => void (await ask('DELETE', `${address}/deliveries`)),
  };
  await inbox.control({});
  return inbox;
}
