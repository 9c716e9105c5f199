import type { Random } from '../../support/random.ts';
import { mayFollow } from '../auditor/webhooks/webhook-judgement.ts';
import type { Webhook } from '../auditor/webhooks/webhook-records.ts';
import type { Call, Person, World } from '../world.ts';
import { anyone } from './athletes.ts';
import { anyProgram, holder } from './programs.ts';
import { oneOf, type Step, weighted } from './step.ts';

const mostWebhooks = 6;
const wishes = [
  ['*'],
  ['*'],
  ['registry.document.*', 'registry.profile.*'],
  ['registry.application.approved.v1', 'registry.document.*'],
  ['registry.invoice.*', 'registry.ledger.*', 'registry.file.uploaded.v1'],
] as const;

/** Webhooks: accounts and their programs make, change and try them, and their receivers do well or badly. */
export const webhookSteps: readonly Step[] = [
  {
    name: 'an account makes a webhook',
    weight: 2.5,
    async take(world, random) {
      const by = random.next() < 0.5 ? holder(world, random) : anyProgram(world, random);
      const living = [...world.auditor.model.webhooks.values()].filter(({ isDeleted }) => !isDeleted);
      if (!by || living.length >= mostWebhooks) return;
      const url = weighted(random, [
        [world.registry.receivers.make(random.seed).url, 12],
        ['http://10.11.12.13/hook', 1],
        ['https://someone:secret@example.com/hook', 0.5],
      ]);
      const types = random.next() < 0.95 ? random.pick(wishes) : ['registry.nothing.*'];
      await world.call(by, 'POST /webhooks', { body: { url, types, ...confirmation(by, random) } });
    },
  },
  {
    name: 'a receiver changes its mood',
    weight: 2.5,
    async take(world, random) {
      const webhook = oneOf(random, world.auditor.model.webhooks.values());
      const receiver = webhook && world.registry.receivers.at(webhook.addresses.at(-1)?.url ?? '');
      if (!receiver) return;
      receiver.mood = weighted(random, [
        ['good', 5],
        ['moody', 4],
        ['choosy', 2],
        ['dead', 2],
        ['gone', 1.5],
      ]);
    },
  },
  onWebhook('an account sends a webhook elsewhere', 0.8, 'PATCH /webhooks/{id}', (world, random, by) => ({
    body: { url: world.registry.receivers.make(random.seed).url, ...confirmation(by, random) },
  })),
  onWebhook('an account enables or disables a webhook', 2, 'PATCH /webhooks/{id}', ({ auditor, now }, random, by, webhook) => {
    // The answer does not tell whether the registry had disabled it a moment ago.
    const isEnabledAgain = random.next() < 0.2 && !mayFollow(auditor.model, webhook, now);
    return { body: { enabled: webhook.disabled !== null || isEnabledAgain, ...confirmation(by, random) } };
  }),
  onWebhook('an account wants other changes', 0.8, 'PATCH /webhooks/{id}', (_world, random) => ({ body: { types: random.pick(wishes) } })),
  onWebhook('an account replaces the secret of a webhook', 0.8, 'POST /webhooks/{id}/secret', () => ({})),
  onWebhook('an account tests a webhook', 1.5, 'POST /webhooks/{id}/test', () => ({})),
  onWebhook('an account asks for earlier changes again', 0.8, 'POST /webhooks/{id}/replay', ({ auditor }, random) => {
    const { marks } = auditor.model.changes;
    const recent = random.next() < 0.85 ? marks.slice(-30) : marks;
    return { body: { after: oneOf(random, recent)?.cursor ?? '' } };
  }),
  {
    name: 'an account tests a webhook as often as it may',
    weight: 1,
    async take(world, random) {
      const webhook = oneOf(
        random,
        [...world.auditor.model.webhooks.values()].filter(({ isDeleted, disabled }) => !isDeleted && disabled === null),
      );
      const by = webhook && world.auditor.inquiry.personOf(webhook.ownerId);
      const receiver = webhook && world.registry.receivers.at(webhook.addresses.at(-1)?.url ?? '');
      if (!by || receiver?.mood !== 'good') return;
      const after = world.auditor.model.changes.marks.at(-1)?.cursor;
      const isTest = after === undefined || random.next() < 0.5;
      const [operation, call] = isTest ? ['POST /webhooks/{id}/test', {}] : ['POST /webhooks/{id}/replay', { body: { after } }];
      for (let number = 1; number <= 21; number += 1)
        if ((await world.call(by, operation, { params: { id: webhook.id }, ...call })).status >= 300) return;
    },
  },
  onWebhook('an account looks at a webhook', 1.5, 'GET /webhooks/{id}', () => ({})),
  onWebhook('an account looks at deliveries', 1, 'GET /webhooks/{id}/deliveries', () => ({})),
  onWebhook('an account deletes a webhook', 0.4, 'DELETE /webhooks/{id}', () => ({})),
];

/** A person confirms with the password, mostly; a program cannot. */
function confirmation(by: Person, random: Random): { password?: string } {
  if (by.scopes !== null) return {};
  return weighted(random, [
    [{ password: by.client.password }, 12],
    [{}, 1],
    [{ password: 'not-the-password-at-all' }, 1],
  ]);
}

/** A step of a webhook's owner or of a program of the account, rarely of a stranger. */
function onWebhook(
  name: string,
  weight: number,
  operation: string,
  callOf: (world: World, random: Random, by: Person, webhook: Webhook) => Call,
): Step {
  return {
    name,
    weight,
    async take(world, random) {
      const all = [...world.auditor.model.webhooks.values()];
      const webhook = oneOf(random, random.next() < 0.95 ? all.filter(({ isDeleted }) => !isDeleted) : all);
      if (!webhook) return;
      const programs = world.programs.filter(({ accountId }) => accountId === webhook.ownerId);
      const by = weighted(random, [
        [world.auditor.inquiry.personOf(webhook.ownerId), 6],
        [oneOf(random, programs), 3],
        [anyone(world, random), 0.5],
      ]);
      if (by) await world.call(by, operation, { params: { id: webhook.id }, ...callOf(world, random, by, webhook) });
    },
  };
}
