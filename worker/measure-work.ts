import type { Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { Logger } from 'pino';
import { commandSeconds, deliveries, type WorkOutcome } from '../src/platform/metrics/registry.ts';
import type { ProcessDefinition } from '../src/platform/workflows/define-process.ts';

/** What this process has done since its start. */
const done = { steps: 0, activities: 0, failures: 0 };

/** Measures each step and activity as `registry_command_seconds`. Work that a stopping worker interrupts does not count. */
export function measureWork(definitions: readonly ProcessDefinition[]): ActivityInterceptorsFactory {
  const kinds = new Map(
    definitions.flatMap((definition) => (definition.type === 'record' ? [[definition.workflow, definition.kind]] : [])),
  );
  return ({ info }: Context) => {
    const [kind, command] = namesOf(info.activityType, kinds.get(info.workflowType ?? '') ?? info.workflowType ?? 'none');
    return {
      inbound: {
        async execute(input, next) {
          const startedAt = performance.now();
          const observe = (outcome: WorkOutcome) => {
            commandSeconds.observe({ kind, command, outcome }, (performance.now() - startedAt) / 1000);
            done[info.isLocal ? 'steps' : 'activities'] += 1;
            if (outcome === 'failed') done.failures += 1;
          };
          try {
            const result = await next(input);
            observe('ok');
            return result;
          } catch (error) {
            if (!(error instanceof CancelledFailure)) observe(isRefusal(error) ? 'refused' : 'failed');
            throw error;
          }
        },
      },
    };
  };
}

/** Returns whether a failure is a refusal, which is an answer and not an error. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ApplicationFailure && error.nonRetryable === true && error.type !== 'internal_error';
}

/** A step is named `<kind>.<command>`; any other activity by its function. */
function namesOf(activityType: string, kindOfWorkflow: string): [kind: string, command: string] {
  const [kind = '', command] = activityType.split('.');
  return command === undefined ? [kindOfWorkflow, activityType] : [kind, command];
}

const reportMs = 60_000;

/** Logs once a minute what the worker did in this minute. @returns stops it */
export function reportWork(log: Pick<Logger, 'info'>): () => void {
  let before = { ...done, deliveries: 0 };
  const timer = setInterval(() => {
    void deliveries.get().then(({ values }) => {
      const sent = values.reduce((sum, { labels, value }) => (labels.outcome === 'sent' ? sum + value : sum), 0);
      const now = { ...done, deliveries: sent };
      log.info(
        {
          steps: now.steps - before.steps,
          activities: now.activities - before.activities,
          failures: now.failures - before.failures,
          deliveries: now.deliveries - before.deliveries,
        },
        'work of the last minute',
      );
      before = now;
    });
  }, reportMs);
  timer.unref();
  return () => clearInterval(timer);
}
