import type { Asked } from '../area.ts';
import type { Exchange } from '../exchange.ts';
import { type Judgement, refuse } from '../judgement.ts';
import type { Model } from '../model.ts';

/** The variables that a template may name (AGR-9). */
const variables: ReadonlySet<string> = new Set([
  'FEDERATION_SIGNATURE',
  'FEDERATION_STAMP',
  'FEDERATION_SIGNER_NAME',
  'FEDERATION_SIGNER_POSITION',
  'FEDERATION_SIGNED_AT',
  'DOCUMENT_NUMBER',
  'DOCUMENT_QR',
  'EVENT_TITLE',
  'EVENT_DATES',
  'EVENT_LOCATION',
  'ORGANIZER_NAME',
  'ORGANIZER_BIN',
  'ORGANIZER_DIRECTOR',
]);

interface Sent {
  body?: string;
  active?: boolean;
}

/** Unknown variables are refused; the default template stays active (AGR-9). */
export function judgeTemplate(model: Model, { operation, params, body, by }: Asked): Judgement | null {
  const isNew = operation === 'POST /admin/contract-templates';
  if (!isNew && operation !== 'PATCH /admin/contract-templates/{id}') return null;
  if (model.accounts.get(by.accountId)?.role !== 'administrator') return refuse('forbidden');
  const template = model.templates.get(Number(params['id']));
  if (!isNew && !template) return refuse('not_found');
  const { body: text = '', active = true } = body as Sent;
  const isKnown = text
    .split('{{')
    .slice(1)
    .every((part) => variables.has(part.slice(0, part.indexOf('}}'))));
  return isKnown && (active || !template?.isDefault) ? 'accept' : refuse('validation_failed');
}

export function noteTemplate(model: Model, { operation, params, body, data }: Exchange): void {
  const { active } = body as Sent;
  if (operation.startsWith('POST')) model.templates.set(data.id, { id: data.id, isActive: active ?? true, isDefault: false, version: 1 });
  const template = operation.startsWith('PATCH') ? model.templates.get(Number(params['id'])) : undefined;
  if (template) Object.assign(template, { isActive: active ?? template.isActive, version: template.version + 1 });
}
