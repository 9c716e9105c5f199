import { administratorsOf } from '../accounts/account-records.ts';
import { type Area, touchedIds } from '../area.ts';
import type { Contract, Terms } from '../competitions/competition-records.ts';
import type { Caller, Exchange } from '../exchange.ts';
import { type Model, ownerOf } from '../model.ts';
import { forgetVersion } from '../competitions/versions.ts';
import { judgeContract } from './agreement-judgement.ts';
import { askContract, askNumbers } from './agreement-questions.ts';
import { judgeTemplate, noteTemplate } from './agreement-templates.ts';

/** Agreements with organizers, by `docs/rules/agreements.md`. */
export const agreementsArea: Area = {
  judge: (model, asked) => judgeTemplate(model, asked) ?? judgeContract(model, asked),

  saw(model, exchange) {
    const { operation, params, body, data, by, at } = exchange;
    if (operation === 'PUT /admin/federation-signing') {
      const { signer_name: name, signer_position: position } = body as Record<string, string>;
      model.signing = { name: name ?? '', position: position ?? '' };
      return [];
    }
    if (operation.endsWith(' /admin/contract-templates') || operation.endsWith(' /admin/contract-templates/{id}')) {
      noteTemplate(model, exchange);
      return [];
    }
    if (operation === 'POST /contracts') {
      const { event_id: eventId } = body as { event_id: number };
      addContract(model, exchange, eventId, null);
      return [
        { kind: 'contract', id: data.id },
        { kind: 'event', id: eventId },
      ];
    }
    const contract = /^POST (\/admin)?\/contracts\/\{id\}/.test(operation) ? model.contracts.get(Number(params['id'])) : undefined;
    if (!contract) return [];
    const ownerId = ownerOf(model, model.events.get(contract.eventId)?.profileId ?? 0);
    const isByOwner = by.accountId === ownerId && by.administratorId === null;
    const touched = [
      { kind: 'contract' as const, id: contract.id },
      { kind: 'event' as const, id: contract.eventId },
      { kind: 'account' as const, id: ownerId },
    ];
    if (operation !== 'POST /contracts/{id}/request-confirmation') forgetVersion(model, `contract/${contract.id}`);
    switch (operation) {
      case 'POST /contracts/{id}/scan':
        Object.assign(contract, { status: 'pending', scanSha256: exchange.file?.sha256 ?? null, reason: null, since: at.getTime() });
        return touched;
      case 'POST /contracts/{id}/replace':
        endContract(model, contract, 'replaced', body as { reason: string }, by);
        contract.replacedById = data.id;
        addContract(model, exchange, contract.eventId, contract);
        if (!isByOwner) model.expectNotified(ownerId, 'agreement.replaced', contract.id);
        return [...touched, { kind: 'contract', id: data.id }];
      case 'POST /contracts/{id}/cancel':
        endContract(model, contract, 'cancelled', body as { reason: string }, by);
        if (!isByOwner) model.expectNotified(ownerId, 'agreement.cancelled', contract.id);
        return touched;
      case 'POST /admin/contracts/{id}/review': {
        const { decision, reason } = body as { decision: 'confirm' | 'reject'; reason?: string };
        Object.assign(contract, { reason: reason ?? null, since: at.getTime() });
        contract.status = decision === 'confirm' ? 'confirmed' : 'rejected';
        model.expectNotified(ownerId, `agreement.${contract.status}`, contract.id);
        if (decision === 'confirm') bringIntoForce(model, contract);
        return touched;
      }
      case 'POST /admin/contracts/{id}/seen':
        contract.isUnseen = false;
        return touched;
      default:
        return touched;
    }
  },

  read(model, { operation, data }) {
    if (operation !== 'GET /admin/contract-templates') return;
    for (const row of data as { id: number; active: boolean; is_default: boolean; version: number }[])
      model.templates.set(row.id, { id: row.id, isActive: row.active, isDefault: row.is_default, version: row.version });
  },

  async ask(inquiry, touched) {
    for (const id of touchedIds(touched, 'contract')) {
      const contract = inquiry.model.contracts.get(id);
      if (contract) await inquiry.eventually(() => askContract(inquiry, contract));
    }
  },

  askAll: askNumbers,
};

function addContract(model: Model, { data, at }: Exchange, eventId: number, replaced: Contract | null): void {
  const event = model.events.get(eventId);
  if (!event) throw new Error(`the auditor does not know event ${eventId}`);
  model.contracts.set(data.id, {
    id: data.id,
    eventId,
    number: data.number,
    version: (replaced?.version ?? 0) + 1,
    status: 'generated',
    token: data.verification_token,
    pages: data.pages,
    originalSha256: data.original_sha256,
    scanSha256: null,
    wasConfirmed: false,
    since: at.getTime(),
    signer: model.signing ?? { name: '', position: '' },
    terms: termsOf(event),
    replacesId: replaced?.id ?? null,
    replacedById: null,
    reason: null,
    isUnseen: false,
  });
}

function termsOf({ title, location, startsAt, endsAt, disciplineId }: Terms): Terms {
  return { title, location, startsAt, endsAt, disciplineId };
}

/** A confirmation approves the agreement stage and opens the details (EVT-2, EVT-3). */
function bringIntoForce(model: Model, contract: Contract): void {
  contract.wasConfirmed = true;
  const event = model.events.get(contract.eventId);
  if (!event) return;
  event.stages.agreement.status = 'approved';
  if (event.stages.details.status === 'locked') event.stages.details.status = 'open';
  if (event.status === 'draft') event.status = 'in_progress';
  const ownerId = ownerOf(model, event.profileId);
  model.expectNotified(ownerId, 'event_stage.approved', event.id);
}

/** The end of an agreement in force reopens the agreement stage of an event that is not over; a publication stays (EVT-3). */
function endContract(model: Model, contract: Contract, status: 'replaced' | 'cancelled', { reason }: { reason: string }, by: Caller): void {
  const wasInForce = contract.status === 'confirmed';
  const event = model.events.get(contract.eventId);
  const ownerId = ownerOf(model, event?.profileId ?? 0);
  // An administrator who impersonates the organizer acts for that side, and the organizer does not know of it (AGR-17).
  const isByOrganizer = by.accountId === ownerId;
  const isByOwner = isByOrganizer && by.administratorId === null;
  Object.assign(contract, { status, reason, isUnseen: isByOrganizer });
  if (isByOrganizer) for (const id of administratorsOf(model)) model.expectNotified(id, 'agreement.ended', contract.id);
  if (!wasInForce || !event || event.status === 'completed' || event.status === 'cancelled') return;
  event.stages.agreement.status = 'open';
  if (event.status === 'in_progress') event.status = 'draft';
  if (!isByOwner) model.expectNotified(ownerOf(model, event.profileId), 'event_stage.reopened', event.id);
}
