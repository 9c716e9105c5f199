import { loadConfig } from '../../../registry/config.ts';
import { listen, runSimulator, type Simulator } from '../simulator.ts';
import { createReceiverApp } from './app.ts';
import { Inboxes } from './inboxes.ts';

/**
 * Starts a receiver of webhooks for development and tests, on the loopback address: each `POST /hooks/{name}` is an inbox. It shows what
 * arrived, checks signatures (Standard Webhooks 1.0), and fails on demand.
 * @param options.port 0 selects a free port
 * @throws {Error} `EADDRINUSE` when another program uses the port
 */
export async function startWebhookReceiver({ port }: { port: number }): Promise<Simulator> {
  const closing = new AbortController();
  const simulator = await listen(createReceiverApp(new Inboxes(), closing.signal), port, '127.0.0.1');
  return {
    ...simulator,
    close: async () => {
      closing.abort();
      await simulator.close();
    },
  };
}

if (import.meta.main) {
  const config = loadConfig();
  await runSimulator('webhook receiver', { variable: 'WEBHOOK_RECEIVER_PORT', number: config.WEBHOOK_RECEIVER_PORT }, async () => {
    if (config.NODE_ENV === 'production')
      throw new Error('the simulator shows what it receives to everybody; it refuses NODE_ENV=production');
    return startWebhookReceiver({ port: config.WEBHOOK_RECEIVER_PORT });
  });
}
