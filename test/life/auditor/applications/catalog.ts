import { isDeepStrictEqual } from 'node:util';
import type { Area } from '../area.ts';
import { refuse } from '../judgement.ts';
import type { Service } from './application-records.ts';
import type { Model } from '../model.ts';
import { baseIndexOf, priceOf } from './prices.ts';
import { Finding } from '../finding.ts';
import { dayOf } from '../days.ts';

interface PriceList {
  mrp: { amount_minor: number };
  services: { id: number; price_kz_minor: number; price_cis_minor?: number }[];
}

/** Services and prices, by `docs/rules/catalog.md`. */
export const catalogArea: Area = {
  records: ['service', 'base_index'],

  judge(model, { operation, params, body }) {
    if (operation === 'PUT /admin/catalog/services/{id}') {
      const service = model.services.get(Number(params['id']));
      if (!service) return refuse('not_found');
      const { updated_at: version } = body as { updated_at: string };
      const isCurrent = model.shown.isCurrent(`service/${service.id}`, version);
      if (isCurrent === null) return 'open';
      return isCurrent ? 'accept' : refuse('stale_revision');
    }
    if (operation === 'PUT /admin/catalog/base-indexes/{year}') {
      const year = Number(params['year']);
      const { amount_minor: amount } = body as { amount_minor: number };
      // One that is in use stays (CAT-4).
      return model.baseIndexes.get(year) === amount || !model.usedIndexes.has(year) ? 'accept' : refuse('base_index_in_use');
    }
    return null;
  },

  read(model, { operation, query, data, at }) {
    if (operation === 'GET /admin/catalog') askEdited(model, data);
    if (query === '' && (operation === 'GET /catalog' || operation === 'GET /services/prices')) askPrices(model, data, at);
  },

  saw(model, exchange) {
    const { operation, params, body, data } = exchange;
    if (operation === 'POST /applications/quote') askQuote(model, body, data, exchange.at);
    if (operation === 'PUT /admin/catalog/services/{id}') {
      const id = Number(params['id']);
      const before = model.services.get(id);
      const service = serviceFrom(data);
      model.services.set(id, service);
      model.shown.shown(`service/${id}`, data.updated_at);
      if (!isOther(before, service)) return [];
      model.noted(exchange, 'service.updated', 'service', id);
      // Waiting ones are checked again (CAT-9).
      const waiting = model.applications.values().filter(({ serviceId, status }) => serviceId === id && status === 'submitted');
      return waiting.map((application) => ({ kind: 'application' as const, id: application.id })).toArray();
    }
    if (operation === 'PUT /admin/catalog/base-indexes/{year}') {
      const [year, { amount_minor: amount }] = [Number(params['year']), body as { amount_minor: number }];
      if (model.baseIndexes.get(year) !== amount) model.noted(exchange, 'base_index.updated', 'base_index', year);
      model.baseIndexes.set(year, amount);
    }
    return [];
  },
};

interface EditedCatalog {
  services: Service['row'][];
  base_indexes: { year: number; amount_minor: number; in_use: boolean }[];
}

/** The catalogue as administrators edit it: each service as it was left, and which base indexes are fixed (CAT-4, CAT-5). */
function askEdited(model: Model, { services, base_indexes: indexes }: EditedCatalog): void {
  for (const row of services) {
    const service = model.services.get(Number(row['id']));
    if (isOther(service, serviceFrom(row))) throw new Finding(`service ${String(row['id'])} is as it was left (CAT-5)`, service?.row, row);
    model.shown.shown(`service/${String(row['id'])}`, row['updated_at'] as string);
  }
  for (const { year, amount_minor: amount, in_use: isInUse } of indexes) {
    const expected = { amount: model.baseIndexes.get(year), isInUse: model.usedIndexes.has(year) };
    if (!isDeepStrictEqual(expected, { amount, isInUse }))
      throw new Finding(`the base index of ${year} is as it was left, and fixed once it is used (CAT-4)`, expected, { amount, isInUse });
  }
}

/** The lists of services on sale show the active ones with the prices of the present year (CAT-1, CAT-2, CAT-7). */
function askPrices(model: Model, { mrp, services }: PriceList, at: Date): void {
  const year = Number(dayOf(at).slice(0, 4));
  const expected = [...model.services.values()]
    .filter(({ isActive }) => isActive)
    .map((service) => ({
      id: service.id,
      home: priceOf(model, service, year, 'KZ'),
      cis: service.cisCoefficient === null ? null : priceOf(model, service, year, 'CIS'),
    }));
  const shown = services.map((row) => ({ id: row.id, home: row.price_kz_minor, cis: row.price_cis_minor ?? null }));
  const question = 'the price list shows each service on sale with its price (CAT-1, CAT-2, CAT-7)';
  if (!isDeepStrictEqual(byId(expected), byId(shown))) throw new Finding(question, byId(expected), byId(shown));
  const index = baseIndexOf(model, year);
  if (mrp.amount_minor !== index) throw new Finding(`the price list names the base index of ${year} (CAT-1)`, index, mrp.amount_minor);
}

const byId = <Row extends { id: number }>(rows: readonly Row[]) => rows.toSorted((left, right) => left.id - right.id);

function isOther(before: Service | undefined, after: Service): boolean {
  const plain = ({ row }: Service) => JSON.stringify({ ...row, updated_at: null });
  return before === undefined || plain(before) !== plain(after);
}

/** A quote is the price of the present catalogue (CAT-1, CAT-2). */
function askQuote(model: Model, body: unknown, data: { amount_minor: number }, at: Date): void {
  const {
    service_id: id,
    year = new Date(at.getTime() + 5 * 3_600_000).getUTCFullYear(),
    data: terms,
  } = body as {
    service_id: number;
    year?: number;
    data?: { insurance_territory?: string };
  };
  const service = model.services.get(id);
  if (!service) return;
  const price = priceOf(model, service, year, terms?.insurance_territory ?? 'KZ');
  if (data.amount_minor !== price) throw new Finding(`service ${id} is quoted by the catalogue (CAT-1, CAT-2)`, price, data.amount_minor);
}

/** A service, as administrators read it. */
export function serviceFrom(row: Record<string, unknown>): Service {
  const required = row['required_documents'] as { code: string; types: string[]; only_minors: boolean }[];
  return {
    id: Number(row['id']),
    kind: row['kind'] as Service['kind'],
    profileKind: row['profile_kind'] as Service['profileKind'],
    disciplineIds: row['disciplines'] as number[],
    required: required.map(({ code, types, only_minors: onlyMinors }) => ({ code, types, onlyMinors })),
    coefficient: Number(row['mrp']),
    cisCoefficient: row['cis_mrp'] === null ? null : Number(row['cis_mrp']),
    isActive: row['active'] === true,
    row,
  };
}
