import { z } from 'zod';
import { taskQueues } from '../../registry/config.ts';
import type { DependencyStatus } from '../../platform/health/watch-dependencies.ts';
import { access } from '../access/access.ts';
import { defineRoute, type Route } from '../define-route.ts';
import { ok } from '../response/reply.ts';
import { formatDateTime } from '../../platform/time/date-time.ts';
import { dateTimeResponse } from '../schemas.ts';
import { type Health, readinessOf } from './health.ts';

const readinessResponse = z.object({
  status: z.enum(['ok', 'not_ready']),
  reason: z.string().nullable().describe('Why the process is not ready, for an operator; null when it is'),
});

const dependency = z.object({
  state: z.enum(['ok', 'away', 'disabled']),
  since: dateTimeResponse.describe('Start of this state, as this API process saw it'),
});
const dependenciesResponse = z.object({
  temporal: dependency,
  storage: dependency,
  mail: dependency,
  bank: dependency,
  workers: z
    .record(z.enum(taskQueues), dependency)
    .describe('Whether a worker polled each task queue within the last 90 seconds; `away` also while Temporal is away'),
});

/**
 * Routes of the probes.
 * @param health reads the last known state; a request starts no check
 */
export const createHealthRoutes = (health: () => Health): Route[] => [
  defineRoute({
    name: 'checkLiveness',
    method: 'GET',
    path: '/health/live',
    access: access.public,
    atRoot: true,
    isRateLimited: false,
    tag: 'Health',
    summary: 'Checks that the process answers',
    response: { data: z.object({ status: z.literal('ok') }) },
    handler: async () => ok({ status: 'ok' as const }),
  }),
  defineRoute({
    name: 'checkReadiness',
    method: 'GET',
    path: '/health/ready',
    access: access.public,
    atRoot: true,
    isRateLimited: false,
    tag: 'Health',
    summary: 'The process takes requests, and its database has this release’s schema; 503 otherwise',
    description:
      'The state of a few seconds ago: the process checks by itself. A stopping process is not ready and still serves. Temporal, storage, mail or the bank being away never makes it unready: reads and public verification continue.',
    response: { data: readinessResponse },
    handler: async () => {
      const readiness = readinessOf(health());
      const answer = ok(readiness);
      return readiness.status === 'ok' ? answer : { ...answer, status: 503, headers: { 'Retry-After': '5' } };
    },
  }),
  defineRoute({
    name: 'checkDependencies',
    method: 'GET',
    path: '/health/dependencies',
    access: access.public,
    atRoot: true,
    isRateLimited: false,
    tag: 'Health',
    summary: 'State of each dependency, and since when',
    description: 'Always 200. The state of a few seconds ago; of mail and bank, of at most half a minute ago.',
    response: { data: dependenciesResponse },
    handler: async () => {
      const { dependencies } = health();
      const { temporal, storage, mail, bank } = dependencies;
      const workers = taskQueues.map((queue) => [queue, shown(dependencies[`workers/${queue}`])] as const);
      return ok({
        temporal: shown(temporal),
        storage: shown(storage),
        mail: shown(mail),
        bank: shown(bank),
        workers: Object.fromEntries(workers) as Record<(typeof taskQueues)[number], ReturnType<typeof shown>>,
      });
    },
  }),
];

function shown({ state, since }: DependencyStatus) {
  return { state, since: formatDateTime(since) };
}
