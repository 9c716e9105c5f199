import type { Area } from '../area.ts';
import { refuse } from '../judgement.ts';
import type { Model } from '../model.ts';
import type { Session } from './account-records.ts';

/** A person sees the browser sessions of the account and ends one of them, also the own (ACC-26). */
export const ownSessionsArea: Area = {
  judge(model, { operation, params, by }) {
    if (operation !== 'DELETE /account/sessions/{id}') return null;
    const session = sessionOf(model, params['id']);
    if (!session) return 'open';
    return session.accountId === by.accountId && !session.isOver ? 'accept' : refuse('not_found');
  },

  read(model, { operation, by, data }) {
    if (operation !== 'GET /account/sessions') return;
    const current = (data as { id: string; current: boolean }[]).find((row) => row.current);
    const session = model.sessions.get(by.credential ?? '');
    if (current && session) session.id = current.id;
  },

  saw(model, exchange) {
    if (exchange.operation !== 'DELETE /account/sessions/{id}') return [];
    const { accountId } = exchange.by;
    const session = sessionOf(model, exchange.params['id']);
    if (session) session.isOver = true;
    model.noted(exchange, 'session.ended', 'user', accountId);
    return [{ kind: 'account', id: accountId }];
  },
};

const sessionOf = ({ sessions }: Model, id: unknown): Session | undefined => sessions.values().find((session) => session.id === id);

/** Without those that wait for a code: they are no sessions of the account yet (ACC-28). */
export function liveSessionsOf(model: Model, accountId: number): Session[] {
  return [...model.sessions.values()].filter((one) => one.accountId === accountId && !one.isOver && one.waitsUntil === null);
}

/** Ends the sessions of an account, but one. */
export function endSessionsOf(model: Model, accountId: number, except?: string): void {
  for (const [credential, session] of model.sessions) if (session.accountId === accountId && credential !== except) session.isOver = true;
}
