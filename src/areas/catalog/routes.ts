import { access } from '../../http/access/access.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import { ok } from '../../http/response/reply.ts';
import { query } from '../../platform/command.ts';
import type { Database } from '../../platform/database/database.ts';
import { type BaseIndexOfYear, type CatalogService, currentBaseIndex, listActiveServices } from './queries.ts';
import { catalogQuery, catalogResponse, presentCatalog, presentPrices, pricesResponse } from './wire.ts';

const tag = 'Catalog';

/** Reads the services on sale and the base index of their prices. */
async function readCatalog(db: Database, now: Date): Promise<[CatalogService[], BaseIndexOfYear]> {
  return [await listActiveServices(db), await currentBaseIndex(db, now)];
}

export const catalogRoutes: Route[] = [
  defineRoute({
    name: 'getCatalog',
    method: 'GET',
    path: '/catalog',
    access: access.public,
    tag,
    summary: 'Services on sale, with tariffs and what they ask for',
    request: { query: catalogQuery },
    response: { data: catalogResponse },
    handler: ({ platform }) => query(platform, async (db, now) => ok(presentCatalog(...(await readCatalog(db, now))))),
  }),
  defineRoute({
    name: 'getPrices',
    method: 'GET',
    path: '/services/prices',
    access: access.scope('applications:read'),
    tag,
    summary: 'Price list of the services on sale',
    description: 'Informational: the amount that the server stores in a created application is final.',
    response: { data: pricesResponse },
    handler: ({ platform }) => query(platform, async (db, now) => ok(presentPrices(...(await readCatalog(db, now))))),
  }),
];
