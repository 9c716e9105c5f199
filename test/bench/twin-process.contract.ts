import { defineUpdate } from '@temporalio/workflow';

/** The twin of a record's process: the same messages and the same count of activities, none of which does anything. */
export const twinQueues = { registry: 'twin-registry', bank: 'twin-bank', documents: 'twin-documents' } as const;

export interface TwinProcessInput {
  /** Commands after which the twin is over; null lives on. */
  endsAfter: number | null;
  /** Whether the last command is followed by an activity on the documents' queue, as an approval is by its PDF. */
  makesFile: boolean;
}

/** A command: accepted, one regular activity, answered. */
export const twinCommand = defineUpdate<void, [{ commandId: string }]>('command');
