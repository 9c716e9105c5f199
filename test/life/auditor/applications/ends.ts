import type { Application } from './application-records.ts';
import type { Model } from '../model.ts';
import { serviceOf } from './readiness.ts';

/** Whether the year, or the last day of a document of the federation, is over (APP-13). It closes within an hour after. */
export function isOver(model: Model, application: Application, today: string): boolean {
  const { kind } = serviceOf(model, application);
  // A fee closes with its event (APP-17).
  if (kind === 'event_fee') return application.status === 'closed';
  const lastDay = kind === 'document' && application.certificate ? application.certificate.validUntil : `${application.year}-12-31`;
  return today > lastDay;
}

export const isLiving = ({ status }: Application): boolean => status !== 'cancelled' && status !== 'closed';

/** Ends an application: nothing reminds of it any more. */
export function end(model: Model, application: Application, status: 'cancelled' | 'closed', at: Date): void {
  application.status = status;
  model.lastDays.end(`application/${application.id}`, at);
}

/** Money returns once, to the wallet that paid (APP-12, APP-13, OWN-2). */
export function refund(model: Model, application: Application): void {
  if (!application.isPaid || application.payerId === null) return;
  application.isPaid = false;
  move(model, application.payerId, application.amount);
  model.happened('application.refunded', 'application', application.id);
  model.expectNotified(application.payerId, 'application.refunded', application.id);
}

/** Moves money of a wallet. @param amount tiyn; negative takes it */
export function move(model: Model, accountId: number, amount: number): void {
  const account = model.accounts.get(accountId);
  if (account) account.balance += amount;
}
