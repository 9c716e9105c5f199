import type { Asked } from '../area.ts';
import type { Exchange } from '../exchange.ts';
import { type Judgement, refuse } from '../judgement.ts';
import { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
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
  title?: string;
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

/** Each change is a new version; equal values change nothing (AGR-9). */
export function noteTemplate(model: Model, exchange: Exchange): void {
  const { operation, params, body, data } = exchange;
  const sent = body as Sent;
  const before = operation.startsWith('PATCH') ? model.templates.get(Number(params['id'])) : undefined;
  const { title = before?.title ?? '', body: text = before?.body ?? '', active = before?.isActive ?? true } = sent;
  const { id, isDefault, version: last } = before ?? { id: data.id as number, isDefault: false, version: 0 };
  const isOther = title !== before?.title || text !== before.body || active !== before.isActive;
  const version = last + (isOther ? 1 : 0);
  if (data.version !== version) throw new Finding(`each change of template ${id} is a new version (AGR-9)`, version, data.version);
  if (isOther) model.noted(exchange, `contract_template.${before ? 'updated' : 'created'}`, 'contract_template', id);
  model.templates.set(id, { id, title, body: text, isActive: active, isDefault, version });
}

/** Takes over the list of an administrator. */
export function readTemplates(model: Model, { data }: Exchange): void {
  for (const { id, title, body, active, is_default: isDefault, version } of data)
    model.templates.set(id, { id, title, body, isActive: active, isDefault, version });
}

/** An organizer chooses from the active templates, each in its newest version. */
export async function askTemplates({ model, people, as, same }: Inquiry): Promise<void> {
  const [reader] = people;
  const { status, data } = reader ? await as(reader, 'GET /contract-templates') : { status: 0, data: null };
  if (status !== 200) return;
  const active = [...model.templates.values()].filter(({ isActive }) => isActive);
  same(
    'organizers are offered the active templates in their newest versions (AGR-9)',
    active.map(({ id, title, version }) => ({ id, title, version })).toSorted((left, right) => left.id - right.id),
    (data.templates as { id: number }[]).toSorted((left, right) => left.id - right.id),
  );
}
