import { once } from 'node:events';
import { signatureHeaders } from '../../../src/areas/webhooks/secrets.ts';
import { reportReady } from '../../../src/platform/runtime/exit-with-parent.ts';
import { createOutgoing } from '../../../src/platform/outgoing/outgoing.ts';

/** Posts and signs as a webhook does, four at a time, without database and Temporal. */
process.once('disconnect', () => process.exit(0));
process.once('SIGTERM', () => process.exit(0));
reportReady();
const [{ url, count }] = (await once(process, 'message')) as [{ url: string; count: number }];
const outgoing = createOutgoing({ NODE_ENV: 'test', WEBHOOK_ALLOWED_HOSTS: ['127.0.0.1'] });
const body = JSON.stringify({ id: 'bench', type: 'bench', subject: 'bench/1', data: { id: 1, url } });
let left = count;
await Promise.all(
  Array.from({ length: 4 }, async () => {
    while (left > 0) {
      left -= 1;
      await outgoing.post(url, body, signatureHeaders(['whsec_YmVuY2g='], 'bench', new Date(), body), new AbortController().signal);
    }
  }),
);
process.send?.('done');
