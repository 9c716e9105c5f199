import { z } from 'zod';
import { access } from '../../http/access/access.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import { ok } from '../../http/response/reply.ts';
import { dateTime, dateTimeResponse } from '../../http/schemas.ts';
import { readOffsetSeconds } from '../../platform/time/clock.ts';
import { commit, query } from '../../platform/commands/command.ts';
import { formatDateTime } from '../../platform/time/date-time.ts';
import { moveClock } from './move-clock.ts';

const offset = z.int().min(0).describe('Seconds by which the clock of the sandbox is ahead of real time');
const clockResponse = z.object({ now: dateTimeResponse, offset_seconds: offset });
/** About a hundred years: the service cannot store later dates. */
const largestOffsetSeconds = 3_200_000_000;
const moveBody = z
  .strictObject({
    now: dateTime
      .refine((instant) => instant.getTime() <= Date.now() + largestOffsetSeconds * 1000, 'must be within the next hundred years')
      .optional(),
    offset_seconds: offset.max(largestOffsetSeconds).optional(),
  })
  .refine((body) => (body.now === undefined) !== (body.offset_seconds === undefined), 'give either now or offset_seconds');

/** Routes that move the clock (SBX-1) and run the due work (SBX-2). */
export const sandboxRoutes: Route[] = [
  defineRoute({
    name: 'getSandboxClock',
    method: 'GET',
    path: '/sandbox/clock',
    access: access.public,
    sandboxOnly: true,
    isRateLimited: false,
    tag: 'Sandbox',
    summary: 'Get the time of the sandbox clock',
    response: { data: clockResponse },
    handler: ({ platform }) =>
      query(platform, async (db, now) => ok({ now: formatDateTime(now), offset_seconds: await readOffsetSeconds(db) })),
  }),
  defineRoute({
    name: 'moveSandboxClock',
    method: 'PUT',
    path: '/sandbox/clock',
    access: access.public,
    sandboxOnly: true,
    isRateLimited: false,
    tag: 'Sandbox',
    summary: 'Move the sandbox clock forward',
    description: 'Rules that read the time apply at once. Call POST /sandbox/sweep to run all due work.',
    request: { body: moveBody, example: { now: '2027-03-01T09:00:00+05:00' } },
    response: { data: clockResponse },
    errors: ['clock_backwards'],
    handler: async ({ platform, caller, body }) => {
      const moved = await commit(platform, caller, (ctx) => moveClock(ctx, body));
      return ok({ now: formatDateTime(moved.now), offset_seconds: moved.offsetSeconds });
    },
  }),
  defineRoute({
    name: 'runSandboxSweep',
    method: 'POST',
    path: '/sandbox/sweep',
    access: access.public,
    sandboxOnly: true,
    isRateLimited: false,
    tag: 'Sandbox',
    summary: 'Run the sweeper and wait until it has finished',
    response: { data: z.object({ driven: z.record(z.string(), z.int()).describe('Number of processed records by phase') }) },
    errors: ['workflow_unavailable'],
    handler: async ({ platform, caller }) => ok({ driven: await platform.processes.sweep(caller.requestId) }),
  }),
];
