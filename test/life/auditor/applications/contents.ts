import { isDeepStrictEqual } from 'node:util';
import type { Exchange } from '../exchange.ts';
import type { Application } from './application-records.ts';
import { dayOf } from '../days.ts';
import type { Model } from '../model.ts';
import { priceOf } from './prices.ts';
import { isSameSet, readinessOf, serviceOf } from './readiness.ts';

/** What a request may say of an application. */
export interface Sent {
  profile_id: number;
  service_id: number;
  year?: number;
  document_ids?: number[];
  data?: Record<string, unknown>;
}

/** The discipline in the data of an application; null without one. */
export const disciplineOf = (data: Sent['data'] = {}) => (typeof data['discipline_id'] === 'number' ? data['discipline_id'] : null);

/** Sets the price of the catalogue as it stands (CAT-1). */
export function price(model: Model, application: Application): void {
  const { insurance_territory: territory } = application.data;
  application.amount = priceOf(model, serviceOf(model, application), application.year, territory);
}

/**
 * Takes over what an owner changes. A submitted application returns to its owner; behind a certificate, papers of the same worth leave it in
 * force, others wait for a submission (APP-10).
 * @returns whether it changed anything
 */
export function change(model: Model, application: Application, { body, at }: Exchange): boolean {
  const { document_ids: documentIds = application.documentIds, data = {} } = body as Partial<Sent>;
  const before = { amount: application.amount, data: application.data };
  const { insurance_territory: territory } = application.data;
  application.data = Object.fromEntries(Object.entries({ ...application.data, ...data }).filter(([, value]) => value !== null));
  application.disciplineId = disciplineOf(application.data);
  const isTerritoryNew = application.data['insurance_territory'] !== territory;
  if (application.status === 'draft' || (application.status === 'changes' && isTerritoryNew && !application.isPaid))
    price(model, application);
  const isDataNew = !isDeepStrictEqual(before, { amount: application.amount, data: application.data });
  if (isSameSet(documentIds, application.documentIds)) return isDataNew;
  const unmet = readinessOf(model, application, dayOf(at))
    .entries()
    .filter(([, isMet]) => !isMet)
    .map(([rule]) => rule)
    .toArray();
  const wasInOrder = unmet.every((rule) => rule === 'submitted' || rule === 'payment');
  application.documentIds = documentIds;
  // One that lacked nothing was approved by its process meanwhile, as the next question sees (APP-5).
  if (application.status === 'submitted' && unmet.length > 0) application.status = 'changes';
  if (application.status === 'approved' && (application.mustResubmit || !wasInOrder)) application.mustResubmit = true;
  return true;
}
