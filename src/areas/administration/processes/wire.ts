import { z } from 'zod';
import { cappedListMeta, dateTimeResponse, id, idParam, line, note, paging, workflowId } from '../../../http/schemas.ts';
import { processActions, processStates } from './process-status.ts';

/** The process of a record as `kind/id`, or the id alone. */
const wantedProcess = z
  .string()
  .regex(/^([a-z_-]{1,40}\/)?[1-9]\d{0,8}$/, 'must be the id of a record or kind/id')
  .transform((text) => {
    const [number = '', kind = null] = text.split('/').toReversed();
    return { kind, id: Number(number) };
  })
  .meta({ wire: { type: 'string', pattern: '^([a-z_-]{1,40}/)?[1-9]\\d{0,8}$', examples: ['application/12', '12'] } });

const kind = z
  .string()
  .regex(/^[a-z_-]{1,40}$/, 'must be a kind of process')
  .meta({ description: 'Kind of the record', examples: ['application'] });

const state = z
  .enum(processStates)
  .describe('`stuck`: a step fails or is overdue; `failed`: the workflow ended with a failure; `waiting`: for a person or a date');
const action = z
  .enum(processActions)
  .describe('`retry`: runs the failing step now; `ask_bank`: asks the bank about the invoice; `restart`: starts the workflow anew');

export const processesQuery = z.strictObject({
  state: state.optional(),
  kind: kind.optional(),
  q: wantedProcess.optional(),
  ...paging,
});

const reasonCode = z
  .string()
  .nullable()
  .meta({
    description:
      'Stuck: the error code of the failing step, `overdue`, or `workflow_version` and `workflow_error` when its workflow tasks fail. Waiting for a retry: the error code. Failed: how the workflow ended (`failed`, `timed_out`, `terminated`, `cancelled`)',
    examples: ['cannot_be_made', 'overdue', 'terminated'],
  });

const rowFields = {
  workflow_id: workflowId,
  kind,
  id,
  waiting_for: z.string().nullable().describe('`support` if a step fails because of the record itself'),
  since: dateTimeResponse
    .nullable()
    .describe(
      'Start of this state. Stuck: the first failure in a row, or the due date. Failed: the end of the workflow. Otherwise the last date in the record',
    ),
  next_timer_at: dateTimeResponse.nullable().describe("Time of the next own step, by the registry's clock"),
  url: z.string().nullable().describe('The page of the workflow in the Temporal UI'),
  reason: reasonCode,
};

export const processesResponse = z.array(z.object({ ...rowFields, state }).meta({ id: 'ListedProcess' }));

export const processesMeta = cappedListMeta.extend({
  failed_is_unknown: z.literal(true).optional().describe('Temporal is unavailable: a failed process is listed by the state of its record'),
});

export const processParams = z.strictObject({ kind, id: idParam });
export const processActionBody = z.strictObject({ action, reason: note.describe('Recorded with the action, 5-3000 characters') });
export const processActionResponse = z
  .object({
    ...rowFields,
    state: z.enum([...processStates, 'over']).describe('`over`: the record waits for nothing'),
  })
  .meta({ id: 'ProcessAfterAction' });

export const processActionsQuery = z.strictObject({
  process: z
    .string()
    .regex(/^[a-z_-]{1,40}\/[1-9]\d{0,8}$/, 'must be kind/id')
    .optional()
    .meta({ examples: ['application/12'] }),
  ...paging,
});

export const processActionsResponse = z.array(
  z
    .object({
      id,
      workflow_id: workflowId,
      action,
      reason: z.string(),
      actor_id: id.describe('The administrator who acted'),
      request_id: line(64),
      at: dateTimeResponse,
    })
    .meta({ id: 'ProcessAction' }),
);
