import { Loader } from '@mantine/core';
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, type RouteComponent } from '@tanstack/react-router';
import { filtersOf, parseSearch, stringifySearch } from './shared/filters.ts';
import { RefusedPart } from './shared/refused-part.tsx';
import { Shell } from './shared/shell.tsx';

const root = createRootRoute({ component: Shell });

/** A page by its path below `/desk`, which is a folder of `routes/`, with the filters of its address; loaded when it is opened. */
function page<const Path extends string, const Filter extends string = never>(
  path: Path,
  load: () => Promise<{ RoutePage: RouteComponent }>,
  ...filters: Filter[]
) {
  return createRoute({
    getParentRoute: () => root,
    path,
    component: lazyRouteComponent(load, 'RoutePage'),
    validateSearch: filtersOf(...filters),
  });
}

const routes = [
  page('/', () => import('./routes/overview/page.tsx')),
  page('/queue', () => import('./routes/queue/page.tsx'), 'kind', 'q', 'waiting_before', 'page', 'open'),
  page('/search', () => import('./routes/search/page.tsx'), 'q'),
  page('/records/$kind/$id', () => import('./routes/records/page.tsx')),
  page('/people', () => import('./routes/people/page.tsx'), 'q', 'role', 'status', 'page'),
  page('/people/$id', () => import('./routes/people/person/page.tsx')),
  page('/athletes', () => import('./routes/athletes/page.tsx'), 'q', 'status', 'certificate', 'page'),
  page('/processes', () => import('./routes/processes/page.tsx'), 'state', 'kind', 'q', 'page'),
  page('/national', () => import('./routes/national/page.tsx'), 'year', 'q', 'status', 'paid', 'insurance', 'print', 'page'),
  page('/catalogue', () => import('./routes/catalogue/page.tsx')),
  page('/signing', () => import('./routes/signing/page.tsx')),
  page('/chats', () => import('./routes/chats/page.tsx'), 'person', 'page'),
  page('/audit', () => import('./routes/audit/page.tsx'), 'actor_id', 'action', 'subject', 'category', 'from', 'to', 'request_id', 'page'),
];

export const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: '/desk',
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultPendingComponent: () => <Loader />,
  defaultErrorComponent: RefusedPart,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
