import { searchAttributes } from '../../../workflows/contracts/process.contract.ts';
import { minuteMs } from '../../platform/time/date-time.ts';
import { defineTimer } from '../../platform/workflows/define-process.ts';
import { expireLinks } from './expire-links.ts';

/** Ends an unused link ten minutes after it was issued (BOT-1); `holder` is the account's id. */
export const botLinkTimer = defineTimer({
  kind: 'bot-link',
  summary: (id) => `Link of user ${id} with the messaging bot: ends after its time`,
  attributes: (id) => [{ key: searchAttributes.userId, value: id }],
  lifetimeMs: 10 * minuteMs,
  expire: (ctx, holder) => expireLinks(ctx, { holder: Number(holder) }),
});
