import { Center, Loader } from '@mantine/core';
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
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
];

export const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: '/desk',
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
