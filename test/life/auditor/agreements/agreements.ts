import { administratorsOf } from '../accounts/account-records.ts';
import { type Area, touchedIds } from '../area.ts';
import type { Contract, Terms } from '../competitions/competition-records.ts';
import type { Exchange } from '../exchange.ts';
import { type Model, ownerOf } from '../model.ts';
import { forgetVersion } from '../competitions/versions.ts';
import { judgeContract } from './agreement-judgement.ts';
import { askContract, askNumbers } from './agreement-questions.ts';
import { judgeSigning, readSigning, seeSigning, signingSetting } from './signing.ts';
import { askTemplates, judgeTemplate, noteTemplate, readTemplates } from './agreement-templates.ts';

/** Agreements with organizers, by `docs/rules/agreements.md`. */
export const agreementsArea: Area = {
  records: ['contract_template'],
  notifies: ['agreement.confirmed', 'agreement.rejected', 'agreement.replaced', 'agreement.cancelled', 'agreement.ended'],

  judge: (model, asked) => judgeTemplate(model, asked) ?? judgeSigning(model, asked) ?? judgeContract(model, asked),

  saw(model, exchange) {
    const { operation, params, body, data, by, at } = exchange;
    if (operation === signingSetting) {
      seeSigning(model, exchange);
      return [];
    }
    if (operation.endsWith(' /admin/contract-templates') || operation.endsWith(' /admin/contract-templates/{id}')) {
      noteTemplate(model, exchange);
      return [{ kind: 'contract_template', id: data.id }];
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
        model.noted(exchange, 'contract.scan_uploaded', 'contract', contract.id);
        Object.assign(contract, { status: 'pending', scanSha256: exchange.file?.sha256 ?? null, reason: null, since: at.getTime() });
        return touched;
      case 'POST /contracts/{id}/replace':
        endContract(model, contract, 'replaced', exchange);
        contract.replacedById = data.id;
        addContract(model, exchange, contract.eventId, contract);
        if (!isByOwner) model.expectNotified(ownerId, 'agreement.replaced', contract.id);
        return [...touched, { kind: 'contract', id: data.id }];
      case 'POST /contracts/{id}/cancel':
        endContract(model, contract, 'cancelled', exchange);
        if (!isByOwner) model.expectNotified(ownerId, 'agreement.cancelled', contract.id);
        return touched;
      case 'POST /admin/contracts/{id}/review': {
        const { decision, reason } = body as { decision: 'confirm' | 'reject'; reason?: string };
        Object.assign(contract, { reason: reason ?? null, since: at.getTime() });
        contract.status = decision === 'confirm' ? 'confirmed' : 'rejected';
        model.noted(exchange, `contract.${contract.status}`, 'contract', contract.id);
        model.expectNotified(ownerId, `agreement.${contract.status}`, contract.id);
        if (decision === 'confirm') bringIntoForce(model, contract, exchange);
        return touched;
      }
      case 'POST /admin/contracts/{id}/seen':
        if (contract.isUnseen) model.noted(exchange, 'contract.seen', 'contract', contract.id);
        contract.isUnseen = false;
        return touched;
      default:
        return touched;
    }
  },

  read(model, exchange) {
    readSigning(model, exchange);
    if (exchange.operation === 'GET /admin/contract-templates') readTemplates(model, exchange);
  },

  async ask(inquiry, touched) {
    if (touchedIds(touched, 'contract_template').length > 0) await askTemplates(inquiry);
    for (const id of touchedIds(touched, 'contract')) {
      const contract = inquiry.model.contracts.get(id);
      if (contract) await inquiry.eventually(() => askContract(inquiry, contract));
    }
  },

  askAll: askNumbers,
};

function addContract(model: Model, exchange: Exchange, eventId: number, replaced: Contract | null): void {
  const { data, at } = exchange;
  const event = model.events.get(eventId);
  if (!event) throw new Error(`the auditor does not know event ${eventId}`);
  for (const step of ['created', 'signature_applied', 'generated']) model.noted(exchange, `contract.${step}`, 'contract', data.id);
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
    templateId: templateOf(model, exchange.body),
    signer: { name: model.signing?.signer_name ?? '', position: model.signing?.signer_position ?? '' },
    terms: termsOf(event),
    replacesId: replaced?.id ?? null,
    replacedById: null,
    reason: null,
    isUnseen: false,
  });
}

/** The named template, or the default one. */
function templateOf({ templates }: Model, body: unknown): number | undefined {
  const { template_id: id } = body as { template_id?: number };
  return id ?? templates.values().find(({ isDefault }) => isDefault)?.id;
}

function termsOf({ title, location, startsAt, endsAt, disciplineId }: Terms): Terms {
  return { title, location, startsAt, endsAt, disciplineId };
}

/** A confirmation approves the agreement stage and opens the details (EVT-2, EVT-3). */
function bringIntoForce(model: Model, contract: Contract, exchange: Exchange): void {
  contract.wasConfirmed = true;
  const event = model.events.get(contract.eventId);
  if (!event) return;
  model.noted(exchange, 'event.agreement_confirmed', 'event', event.id);
  event.stages.agreement.status = 'approved';
  if (event.stages.details.status === 'locked') event.stages.details.status = 'open';
  if (event.status === 'draft') event.status = 'in_progress';
  const ownerId = ownerOf(model, event.profileId);
  model.expectNotified(ownerId, 'event_stage.approved', event.id);
}

/** The end of an agreement in force reopens the agreement stage of an event that is not over; a publication stays (EVT-3). */
function endContract(model: Model, contract: Contract, status: 'replaced' | 'cancelled', exchange: Exchange): void {
  const { by } = exchange;
  const { reason } = exchange.body as { reason: string };
  const wasInForce = contract.status === 'confirmed';
  const event = model.events.get(contract.eventId);
  const ownerId = ownerOf(model, event?.profileId ?? 0);
  // An administrator who impersonates the organizer acts for that side, and the organizer does not know of it (AGR-17).
  const isByOrganizer = by.accountId === ownerId;
  const isByOwner = isByOrganizer && by.administratorId === null;
  Object.assign(contract, { status, reason, isUnseen: isByOrganizer });
  model.noted(exchange, `contract.${status}`, 'contract', contract.id);
  if (isByOrganizer) for (const id of administratorsOf(model)) model.expectNotified(id, 'agreement.ended', contract.id);
  if (!wasInForce || !event || event.status === 'completed' || event.status === 'cancelled') return;
  model.noted(exchange, 'event.agreement_reopened', 'event', event.id);
  event.stages.agreement.status = 'open';
  if (event.status === 'in_progress') event.status = 'draft';
  if (!isByOwner) model.expectNotified(ownerOf(model, event.profileId), 'event_stage.reopened', event.id);
}
