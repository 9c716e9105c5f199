import { actsAsAdministrator } from '../accounts/scopes.ts';
import type { Asked } from '../area.ts';
import type { Contract, Event } from '../competitions/competition-records.ts';
import { isLiveContract, isLivingEvent, liveContractOf } from '../competitions/competitions-of.ts';
import { type Judgement, refuse } from '../judgement.ts';
import { type Model, ownerOf } from '../model.ts';
import { versionStands } from '../competitions/versions.ts';
import { isExplained } from '../competitions/competition-judgement.ts';

const verdict = (codes: readonly string[]): Judgement => (codes.length === 0 ? 'accept' : refuse(...codes));

/** What the rules say of requests about agreements, by `docs/rules/agreements.md`. */
export function judgeContract(model: Model, asked: Asked): Judgement | null {
  const { operation, params, body, by } = asked;
  if (operation === 'POST /contracts') return judgeNew(model, asked);
  if (!/^POST (\/admin)?\/contracts\/\{id\}\//.test(operation)) return null;
  const contract = model.contracts.get(Number(params['id']));
  const event = contract && model.events.get(contract.eventId);
  const isAdministrator = actsAsAdministrator(model, by);
  if (operation.startsWith('POST /admin/') && !isAdministrator) return refuse('forbidden');
  if (!contract || !event) return refuse('not_found');
  const isOwner = ownerOf(model, event.profileId) === by.accountId;
  switch (operation) {
    case 'POST /admin/contracts/{id}/review':
      return judgeDecision(model, contract, event, body as Review);
    case 'POST /admin/contracts/{id}/seen':
      return isLiveContract(contract) ? refuse('invalid_state') : 'accept';
    case 'POST /contracts/{id}/cancel':
      if (!isOwner && !isAdministrator) return refuse('not_found');
      return verdict([...unexplained(body), ...(isLiveContract(contract) ? [] : ['invalid_state'])]);
    case 'POST /contracts/{id}/scan':
      return isOwner ? judgeScan(contract, event, asked) : refuse('not_found');
    case 'POST /contracts/{id}/replace':
      if (!isOwner) return refuse('not_found');
      return verdict([
        ...unexplained(body),
        ...(isLivingEvent(event) ? [] : ['event_over']),
        ...(isLiveContract(contract) ? [] : ['invalid_state']),
        ...missingFor(model, event, body),
      ]);
    case 'POST /contracts/{id}/request-confirmation':
      return isOwner ? 'accept' : refuse('not_found');
    default:
      return null;
  }
}

/** From any state but `replaced` and `cancelled`, with a reason of 5 to 3000 characters (AGR-6). */
const unexplained = (body: unknown) => (isExplained((body as { reason?: string }).reason) ? [] : ['validation_failed']);

/** One live contract for an own event that is not over (AGR-1, AGR-13). */
function judgeNew(model: Model, { body, by }: Asked): Judgement {
  const event = model.events.get((body as { event_id: number }).event_id);
  if (!event || ownerOf(model, event.profileId) !== by.accountId) return refuse('not_found');
  return verdict([
    ...(isLivingEvent(event) ? [] : ['invalid_state']),
    ...(liveContractOf(model, event.id) ? ['contract_exists'] : []),
    ...missingFor(model, event, body),
  ]);
}

/** An approved organizer, an active template and a signing setting (AGR-13). */
function missingFor(model: Model, event: Event, body: unknown): string[] {
  const { template_id: templateId } = body as { template_id?: number };
  const isTemplateActive = templateId === undefined || model.templates.get(templateId)?.isActive === true;
  return [
    ...(model.profiles.get(event.profileId)?.data.status === 'approved' ? [] : ['profile_not_approved']),
    ...(isTemplateActive ? [] : ['validation_failed']),
    ...(model.signing ? [] : ['federation_signing_missing']),
  ];
}

/** One PDF of at least as many pages, not the original, while it is awaited (AGR-4, AGR-7). */
function judgeScan(contract: Contract, event: Event, { file }: Asked): Judgement {
  const codes = [
    ...(isLivingEvent(event) ? [] : ['event_over']),
    ...(contract.status === 'generated' || contract.status === 'rejected' ? [] : ['invalid_state']),
  ];
  if (codes.length > 0) return refuse(...codes);
  const isCopy = file !== null && file.pages !== null && file.pages >= contract.pages && file.sha256 !== contract.originalSha256;
  return isCopy ? 'accept' : refuse('file_rejected');
}

interface Review {
  decision: 'confirm' | 'reject';
  reason?: string;
  updated_at?: string;
}

/** Once on a pending scan, as it was read; none is confirmed for an event that is over (AGR-7, AGR-14, REV-5). */
function judgeDecision(model: Model, contract: Contract, event: Event, { decision, reason, updated_at: version }: Review): Judgement {
  const isOver = !isLivingEvent(event);
  // Whether the scan of an event that is over may still be rejected, the rules do not say.
  if (isOver && decision === 'reject' && contract.status === 'pending' && isExplained(reason)) return 'open';
  // The process closes the agreement of such an event a moment later, which changes what was read.
  const isOutdated = !versionStands(model, `contract/${contract.id}`, version) || (isOver && version !== undefined);
  return verdict([
    ...(decision === 'reject' && !isExplained(reason) ? ['validation_failed'] : []),
    ...(isOutdated ? ['stale_revision'] : []),
    ...(contract.status === 'pending' ? [] : ['invalid_state']),
    ...(decision === 'confirm' && isOver ? ['event_over'] : []),
  ]);
}
