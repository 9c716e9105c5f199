import { Center, Loader } from '@mantine/core';
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { filtersOf, parseSearch, stringifySearch } from './shared/filters.ts';
import { Problem } from './shared/problem.tsx';
import { queries } from './shared/queries.ts';
import { Shell } from './shared/shell.tsx';

const root = createRootRoute({ component: Shell });

/** A path below `/desk` is a folder of `routes/`, loaded when it is opened. */
const routes = [
  createRoute({
    getParentRoute: () => root,
    path: '/',
    component: lazyRouteComponent(() => import('./routes/overview/page.tsx'), 'OverviewPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/queue',
    validateSearch: filtersOf('kind', 'q', 'waiting_before', 'page', 'open'),
    component: lazyRouteComponent(() => import('./routes/queue/page.tsx'), 'QueuePage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/search',
    validateSearch: filtersOf('q'),
    component: lazyRouteComponent(() => import('./routes/search/page.tsx'), 'SearchPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/records/$kind/$id',
    component: lazyRouteComponent(() => import('./routes/records/page.tsx'), 'RecordPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/people',
    validateSearch: filtersOf('q', 'role', 'status', 'page'),
    component: lazyRouteComponent(() => import('./routes/people/page.tsx'), 'PeoplePage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/people/$id',
    component: lazyRouteComponent(() => import('./routes/people/person/page.tsx'), 'PersonPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/athletes',
    validateSearch: filtersOf('q', 'status', 'certificate', 'page'),
    component: lazyRouteComponent(() => import('./routes/athletes/page.tsx'), 'AthletesPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/processes',
    validateSearch: filtersOf('state', 'kind', 'q', 'page'),
    component: lazyRouteComponent(() => import('./routes/processes/page.tsx'), 'ProcessesPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/national',
    validateSearch: filtersOf('year', 'q', 'status', 'paid', 'insurance', 'print', 'page'),
    component: lazyRouteComponent(() => import('./routes/national/page.tsx'), 'NationalPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/catalogue',
    component: lazyRouteComponent(() => import('./routes/catalogue/page.tsx'), 'CataloguePage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/signing',
    component: lazyRouteComponent(() => import('./routes/signing/page.tsx'), 'SigningPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/chats',
    validateSearch: filtersOf('person', 'page'),
    component: lazyRouteComponent(() => import('./routes/chats/page.tsx'), 'ChatsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/audit',
    validateSearch: filtersOf('actor_id', 'action', 'subject', 'category', 'from', 'to', 'request_id', 'page'),
    component: lazyRouteComponent(() => import('./routes/audit/page.tsx'), 'AuditPage'),
  }),
];

export const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: '/desk',
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultPendingComponent: Pending,
  defaultErrorComponent: ({ error, reset }) => (
    <Problem
      error={error}
      onRetry={() => {
        void queries.resetQueries();
        reset();
      }}
    />
  ),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

function Pending() {
  return (
    <Center p="xl">
      <Loader />
    </Center>
  );
}
