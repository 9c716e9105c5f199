import { access } from '../http/access.ts';
import { defineRoute } from '../http/define-route.ts';
import type { Route } from '../http/define-route.ts';
import { ok } from '../http/reply.ts';
import { read } from '../platform/command.ts';
import { presentCatalog, presentPrices } from './presenter.ts';
import { currentBaseIndex, listActiveServices } from './queries.ts';
import { catalogQuery, catalogShape, pricesShape } from './schemas.ts';

const tag = 'Catalog';

export const catalogRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/catalog',
    access: access.public,
    tag,
    summary: 'Services on sale, with tariffs and what they ask for',
    request: { query: catalogQuery },
    response: { data: catalogShape },
    handler: ({ platform }) =>
      read(platform, async (em, now) => ok(presentCatalog(await listActiveServices(em), await currentBaseIndex(em, now)))),
  }),
  defineRoute({
    method: 'GET',
    path: '/services/prices',
    access: access.scope('applications:read'),
    tag,
    summary: 'Price list of the services on sale',
    description: 'Informational: the amount that the server stores in a created application is final.',
    response: { data: pricesShape },
    handler: ({ platform }) =>
      read(platform, async (em, now) => ok(presentPrices(await listActiveServices(em), await currentBaseIndex(em, now)))),
  }),
];
