import { minuteMs } from '../../../platform/time/date-time.ts';
import { defineTimer } from '../../../platform/workflows/define-process.ts';
import { expireImpersonations } from '../sessions/end-impersonations.ts';

/** Ends an impersonation after an hour (ACC-13); `holder` is the id of the administrator's session. */
export const impersonationTimer = defineTimer({
  kind: 'impersonation',
  summary: () => "Impersonation in an administrator's session: ends after its time",
  lifetimeMs: 60 * minuteMs,
  expire: (ctx, holder) => expireImpersonations(ctx, { holder }),
});
