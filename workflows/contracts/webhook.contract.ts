import { defineContract } from './process.contract.ts';

/** A webhook of an account; workflow id `webhook/{id}`. Its long work sends what is due. */
export const webhookContract = defineContract({
  kind: 'webhook',
  workflow: 'webhook',
  queue: 'documents',
  commands: {},
  longWork: { activity: 'sendChanges', question: 'sent' },
});
