import { DomainError } from '../../errors.ts';
import { access } from '../../http/access/access.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import { ok } from '../../http/response/reply.ts';
import { idParams } from '../../http/schemas.ts';
import { query, commit } from '../../platform/commands/command.ts';
import type { Database } from '../../platform/database/database.ts';
import { yearOf } from '../../platform/time/date-time.ts';
import {
  baseIndexOf,
  type BaseIndexOfYear,
  type CatalogService,
  listActiveServices,
  findBaseIndex,
  findService,
  listBaseIndexes,
  listDisciplines,
  listServices,
} from './queries.ts';
import { setBaseIndex } from './set-base-index.ts';
import { updateService } from './update-service.ts';
import * as wire from './wire.ts';

const tag = 'Catalog';

/** Reads the services on sale and the base index of their prices. */
async function readCatalog(db: Database, now: Date): Promise<[CatalogService[], BaseIndexOfYear]> {
  return [await listActiveServices(db), await baseIndexOf(db, yearOf(now))];
}

export const catalogRoutes: Route[] = [
  defineRoute({
    name: 'getCatalog',
    method: 'GET',
    path: '/catalog',
    access: access.public,
    tag,
    summary: 'List the services on sale with prices and required documents',
    request: { query: wire.catalogQuery },
    response: { data: wire.catalogResponse },
    handler: ({ platform }) => query(platform, async (db, now) => ok(wire.presentCatalog(...(await readCatalog(db, now))))),
  }),
  defineRoute({
    name: 'getPrices',
    method: 'GET',
    path: '/services/prices',
    access: access.scope('applications:read'),
    tag,
    summary: 'List the prices of the services on sale',
    description: 'For information only. The amount that the server stores in an application applies.',
    response: { data: wire.pricesResponse },
    handler: ({ platform }) => query(platform, async (db, now) => ok(wire.presentPrices(...(await readCatalog(db, now))))),
  }),
];

const editingTag = 'Administration';
const repricing = { drafts: 'priced_when_changed_or_submitted' } as const;

/** Routes with which administrators edit the catalog (CAT-4, CAT-5). */
export const editingRoutes: Route[] = [
  defineRoute({
    name: 'getEditedCatalog',
    method: 'GET',
    path: '/admin/catalog',
    access: access.administrator('admin:read'),
    tag: editingTag,
    summary: 'List all services, disciplines and base indexes, also inactive ones',
    response: { data: wire.editedCatalogResponse },
    handler: ({ platform }) =>
      query(platform, async (db) =>
        ok({
          services: (await listServices(db)).map(wire.presentEditedService),
          disciplines: (await listDisciplines(db)).map(wire.presentDiscipline),
          base_indexes: (await listBaseIndexes(db)).map(wire.presentBaseIndex),
        }),
      ),
  }),
  defineRoute({
    name: 'updateService',
    method: 'PUT',
    path: '/admin/catalog/services/:id',
    access: access.administrator('admin:write'),
    tag: editingTag,
    summary: 'Replace a service of the catalog',
    description:
      'Send the whole record with `updated_at` exactly as read; a stale one answers 409 `stale_revision`. `id`, `code` and `kind` cannot be changed. `meta.drafts` says which existing prices change. Changed required documents apply to applications that are not approved; issued certificates stay valid. An inactive service accepts no new applications or competitions; existing ones continue.',
    request: {
      params: idParams,
      body: wire.updateServiceBody,
      example: {
        title: { ru: 'Национальный сертификат, категория A', kk: 'Ұлттық сертификат, A санаты', en: 'National certificate, category A' },
        category: 'A',
        mrp: 2,
        cis_mrp: 1,
        required_documents: [
          { code: 'identity_document', types: ['identity', 'passport'], only_minors: false },
          { code: 'medical', types: ['medical'], only_minors: false },
          { code: 'consent', types: ['consent'], only_minors: true },
        ],
        disciplines: [],
        insurance_coverage_mrp: 500,
        active: true,
        updated_at: '2026-03-01T09:00:00.123+05:00',
      },
    },
    response: { data: wire.editedServiceResponse, meta: wire.repricingMeta },
    errors: ['stale_revision'],
    handler: async ({ platform, caller, params, body }) => {
      const fields = {
        title: body.title,
        category: body.category,
        mrp: body.mrp.toFixed(4),
        cisMrp: body.cis_mrp === null ? null : body.cis_mrp.toFixed(4),
        requiredDocuments: body.required_documents.map(({ code, types, only_minors: onlyMinors }) => ({ code, types, onlyMinors })),
        disciplineIds: body.disciplines,
        insuranceCoverageMrp: body.insurance_coverage_mrp,
        active: body.active,
      };
      await commit(platform, caller, (ctx) => updateService(ctx, params.id, fields, body.updated_at));
      const service = await query(platform, (db) => findService(db, params.id));
      if (!service) throw new DomainError('not_found');
      return ok(wire.presentEditedService(service), repricing);
    },
  }),
  defineRoute({
    name: 'setBaseIndex',
    method: 'PUT',
    path: '/admin/catalog/base-indexes/:year',
    access: access.administrator('admin:write'),
    tag: editingTag,
    summary: 'Set the base calculation index (MRP) of a year',
    description:
      'Amount in tiyn. An index that a submitted application or a fee uses cannot be changed: 409 `base_index_in_use`. A year without its own index uses the newest earlier one.',
    request: { params: wire.baseIndexParams, body: wire.baseIndexBody, example: { amount_minor: 432_500 } },
    response: { data: wire.baseIndexResponse, meta: wire.repricingMeta },
    errors: ['base_index_in_use'],
    handler: async ({ platform, caller, params, body }) => {
      await commit(platform, caller, (ctx) => setBaseIndex(ctx, params.year, body.amount_minor));
      const index = await query(platform, (db) => findBaseIndex(db, params.year));
      if (!index) throw new DomainError('not_found');
      return ok(wire.presentBaseIndex(index), repricing);
    },
  }),
];
