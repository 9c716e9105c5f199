import { randomUUID } from 'node:crypto';
import { answerContactMessage } from '../../src/accounts/answer-contact-message.ts';
import { changeUser } from '../../src/accounts/change-user.ts';
import { receiveContactMessage } from '../../src/accounts/receive-contact-message.ts';
import { commit } from '../../src/platform/command.ts';
import type { CommandContext } from '../../src/platform/context.ts';
import { databaseOf } from '../../src/platform/database/database.ts';
import { raiseIncident } from '../../src/reviews/index.ts';
import { resolveIncident } from '../../src/reviews/resolve-incident.ts';
import { correctLedger } from '../../src/wallet/correct-ledger.ts';
import { reverseMovement } from '../../src/wallet/reverse-movement.ts';
import { fixturesIn } from '../support/factories.ts';
import type { Case, Stage } from './budgets-cases.ts';

/** What the federation's office does by hand, by its name. */
export function officeCases({ platform }: Stage): Record<string, Case> {
  const fixtures = fixturesIn(platform);
  const run = async <T>(command: (ctx: CommandContext) => Promise<T>) => commit(platform, (await fixtures.administrator()).caller, command);
  const reason = 'counted by hand';

  async function incident(): Promise<number> {
    const subject = { kind: 'invoice', id: randomUUID() };
    await run((ctx) => raiseIncident(ctx, 'late_payment', subject, {}));
    const db = databaseOf(platform.orm.em.fork());
    return (await db.selectFrom('incidents').select('id').where('subjectId', '=', subject.id).executeTakeFirstOrThrow()).id;
  }

  async function correction(incidentId: number | null) {
    const { userId } = await fixtures.person();
    const input = { userId, amountMinor: 5_000, direction: 'credit', reason, incidentId, idempotencyKey: randomUUID() } as const;
    return () => run((ctx) => correctLedger(ctx, input));
  }

  return {
    'plain: correctLedger, with an incident': async () => correction(await incident()),
    'plain: reverseMovement': async () => {
      const { transactionId: id } = await (await correction(null))();
      return () => run((ctx) => reverseMovement(ctx, { id, reason, incidentId: null }));
    },
    'plain: changeUser, block': async () => {
      const { userId } = await fixtures.person();
      return () => run((ctx) => changeUser(ctx, { userId, status: 'blocked' }));
    },
    'plain: resolveIncident': async () => {
      const id = await incident();
      return () => run((ctx) => resolveIncident(ctx, id, { reason }));
    },
    'plain: answerContactMessage': async () => {
      const message = { name: 'Visitor', email: 'visitor@example.kz', message: 'When does the season start?' };
      const { id } = await run((ctx) => receiveContactMessage(ctx, message));
      return () => run((ctx) => answerContactMessage(ctx, id, null));
    },
  };
}
