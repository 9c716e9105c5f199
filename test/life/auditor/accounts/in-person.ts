import type { Asked } from '../area.ts';
import { actorOf } from '../exchange.ts';
import { type Judgement, type Refusal, refuse } from '../judgement.ts';
import type { Model } from '../model.ts';

/** Requests by which a person must show that they act (ACC-9, ACC-30). */
const confirming: ReadonlySet<string> = new Set([
  'POST /auth/password',
  'PATCH /admin/users/{id}',
  'DELETE /admin/users/{id}/second-factor',
  'POST /admin/impersonate',
  'POST /admin/ledger/corrections',
  'POST /admin/ledger/{entry_id}/reverse',
  'PUT /admin/profiles/{id}/owner',
  'POST /api-keys',
  'DELETE /api-keys/{id}',
  'POST /account/second-factor',
  'DELETE /account/second-factor',
  'POST /webhooks',
]);

/** Whether a request asks for a confirmation: always, or where it gives another one what it had not (WHK-9). */
export function asksInPerson(operation: string): 'always' | 'sometimes' | 'never' {
  if (operation === 'PATCH /webhooks/{id}') return 'sometimes';
  return confirming.has(operation) ? 'always' : 'never';
}

/** Why a browser that confirms with a wrong password is refused, whatever the record (ACC-9); null when it is not. */
export function refusalOfPassword(model: Model, { operation, body, by }: Pick<Asked, 'operation' | 'body' | 'by'>): Refusal | null {
  if (by.scopes !== null || asksInPerson(operation) !== 'always' || !isWrong(model, { body, by }, fieldOf(operation))) return null;
  // What is refused by its form, and the address of ACC-34, may be told first.
  return refuse('password_confirmation_failed', 'validation_failed', 'email_not_confirmed');
}

const fieldOf = (operation: string) => (operation === 'POST /auth/password' ? 'current_password' : 'password');

function isWrong(model: Model, { body, by }: Pick<Asked, 'body' | 'by'>, field: string): boolean {
  return (body as Record<string, unknown> | undefined)?.[field] !== model.accounts.get(actorOf(by))?.password;
}

/** The code or recovery code of such a request; undefined without one. */
export function codeIn({ body }: Pick<Asked, 'body'>): string | undefined {
  return (body as { code?: string } | undefined)?.code;
}

/**
 * A wrong password confirms nothing (ACC-9), and where the account has a second factor, neither does the password alone (ACC-30).
 * @returns null for what confirms
 */
export function confirmed(model: Model, { body, by }: Pick<Asked, 'body' | 'by'>, field = 'password'): Judgement | null {
  if (isWrong(model, { body, by }, field)) return refuse('password_confirmation_failed');
  const accountId = actorOf(by);
  if (!model.secondFactors.isInForce(accountId)) return null;
  const code = codeIn({ body });
  if (code === undefined) return refuse('second_factor_required');
  const judgement = model.secondFactors.judge(accountId, code);
  return judgement === 'accept' ? null : judgement;
}
