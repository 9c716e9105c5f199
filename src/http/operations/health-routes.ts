import { z } from 'zod';
import { taskQueues } from '../../config.ts';
import { access } from '../access/access.ts';
import { defineRoute, type Route } from '../define-route.ts';
import { ok } from '../response/reply.ts';
import type { Readiness } from './readiness.ts';

const part = z.enum(['ok', 'unreachable']);
const presence = z.enum(['ok', 'absent', 'unknown']);
const readinessResponse = z.object({
  status: part,
  database: part,
  workflow_engine: part,
  storage: part,
  workers: z.record(z.enum(taskQueues), presence).meta({
    description:
      'Whether a worker served each task queue within the last 90 seconds. Does not count for `status`: reads and verification need none',
  }),
});

/**
 * Routes of the liveness and readiness probes.
 * @param readiness returns the last known state; a request never starts a check
 */
export const createHealthRoutes = (readiness: () => Readiness): Route[] => [
  defineRoute({
    name: 'checkLiveness',
    method: 'GET',
    path: '/health/live',
    access: access.public,
    atRoot: true,
    isRateLimited: false,
    tag: 'Health',
    summary: 'The process answers',
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
    summary: 'Database, Temporal and storage can be reached; 503 while one cannot',
    description: 'As of a few seconds ago: the service looks at them by itself, a request makes it look at nothing.',
    response: { data: readinessResponse },
    handler: async () => {
      const state = readiness();
      const answer = ok(state);
      return state.status === 'ok' ? answer : { ...answer, status: 503, headers: { 'Retry-After': '5' } };
    },
  }),
];
