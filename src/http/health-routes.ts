import { z } from 'zod';
import type { Platform } from '../platform/platform.ts';
import { access } from './access.ts';
import { defineRoute } from './define-route.ts';
import { ok } from './reply.ts';

const part = z.enum(['ok', 'unreachable']);
const presence = z.enum(['ok', 'absent', 'unknown']);
const readiness = z.object({
  status: part,
  database: part,
  workflow_engine: part,
  storage: part,
  workers: z.object({ registry: presence, documents: presence, bank: presence }).meta({
    description:
      'Whether a worker served each task queue within the last 90 seconds. Does not count for `status`: reads and verification need none',
  }),
});

/** Whether the process lives, and whether it can do its work (decisions.md §1). */
export const healthRoutes = [
  defineRoute({
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
    method: 'GET',
    path: '/health/ready',
    access: access.public,
    atRoot: true,
    isRateLimited: false,
    tag: 'Health',
    summary: 'Database, workflow engine and storage can be reached; 503 while one cannot',
    response: { data: readiness },
    handler: async ({ platform }) => {
      const [database, workflowEngine, storage, workers] = await Promise.all([
        stateOf(platform, 'database', () => platform.orm.em.fork().execute('select 1')),
        stateOf(platform, 'workflow engine', () => platform.processes.check()),
        stateOf(platform, 'storage', () => platform.storage.check()),
        platform.processes.findWorkers(),
      ]);
      const status = database === 'ok' && workflowEngine === 'ok' && storage === 'ok' ? ('ok' as const) : ('unreachable' as const);
      const answer = ok({ status, database, workflow_engine: workflowEngine, storage, workers });
      return status === 'ok' ? answer : { ...answer, status: 503, headers: { 'Retry-After': '5' } };
    },
  }),
];

const checkDeadlineMs = 3_000;

async function stateOf(platform: Platform, name: string, check: () => Promise<unknown>): Promise<'ok' | 'unreachable'> {
  const deadline = Promise.withResolvers<never>();
  const timer = setTimeout(() => deadline.reject(new Error('no answer in time')), checkDeadlineMs);
  try {
    await Promise.race([check(), deadline.promise]);
    return 'ok';
  } catch (error) {
    platform.log.warn({ part: name, cause: error instanceof Error ? error.name : 'unknown' }, 'not ready');
    return 'unreachable';
  } finally {
    clearTimeout(timer);
  }
}
