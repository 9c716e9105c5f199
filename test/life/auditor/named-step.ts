import { Finding } from './finding.ts';
import type { Inquiry } from './inquiry.ts';

/** What an unmet rule says of the next step. */
export interface NamedStep {
  rule: string;
  waiting_for: string | null;
  fix: { method: string; path: string } | null;
}

/**
 * A step that is named to its party is one that the rules let it take now (APP-4, REG-18). Only steps without a body are judged here; all
 * are taken at the end of a life (`next-steps.ts`).
 * @throws {Finding} for one that the rules refuse
 */
export function askNamedStep(inquiry: Inquiry, ownerId: number, where: string, { rule, waiting_for: party, fix }: NamedStep): void {
  const [, family, id, action] = /^\/([\w-]+)\/(\d+)\/(\w+)$/.exec(fix?.path ?? '') ?? [];
  const owner = inquiry.personOf(ownerId);
  if (fix?.method !== 'POST' || family === undefined || party !== 'owner' || !owner || inquiry.isSignedOut(owner)) return;
  const judgement = inquiry.judge(owner, `POST /${family}/{id}/${action}`, { params: { id: Number(id) } });
  if (typeof judgement === 'string') return;
  throw new Finding(
    `${where} names POST ${fix.path} for ${rule}, which its party can take (APP-4, REG-18)`,
    'accepted by the rules',
    judgement,
  );
}
