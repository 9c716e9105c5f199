import type { SearchAttributePair } from '@temporalio/common';
import type { TaskQueue } from '../../config.ts';
import { searchAttributes } from '../../../workflows/process.contract.ts';
import type { ProcessKind } from '../process-ref.ts';

/** How the process of each kind of record is started: its workflow, its queue, its input. */
export interface ProcessType {
  workflowType: string;
  taskQueue: TaskQueue;
  input(id: string): unknown;
  attributes(id: string): SearchAttributePair[];
  /** What a support person reads beside the id in the engine's UI. */
  summary(id: string): string;
}

const none = () => [];

export const processTypes: Record<ProcessKind, ProcessType> = {
  application: {
    workflowType: 'applicationLifecycle',
    taskQueue: 'registry',
    input: (id) => ({ applicationId: Number(id) }),
    attributes: (id) => [{ key: searchAttributes.applicationId, value: id }],
    summary: (id) => `Application ${id}: draft, payment, approval, end of its year`,
  },
  document: {
    workflowType: 'documentReview',
    taskQueue: 'documents',
    input: (id) => ({ documentId: Number(id) }),
    attributes: none,
    summary: (id) => `Document ${id}: review and expiry`,
  },
  profile: {
    workflowType: 'profileReview',
    taskQueue: 'documents',
    input: (id) => ({ profileId: Number(id) }),
    attributes: (id) => [{ key: searchAttributes.profileId, value: id }],
    summary: (id) => `Profile ${id}: review of the data and the photo`,
  },
  invoice: {
    workflowType: 'invoiceReconciliation',
    taskQueue: 'bank',
    input: (id) => ({ invoiceId: Number(id) }),
    attributes: none,
    summary: (id) => `Invoice ${id}: reconciliation with the bank`,
  },
  captcha: {
    workflowType: 'oneTimeSecret',
    taskQueue: 'registry',
    input: (id) => ({ kind: 'captcha', holder: id }),
    attributes: none,
    summary: () => 'Captcha of a session: ends after its time',
  },
  'password-reset': {
    workflowType: 'oneTimeSecret',
    taskQueue: 'registry',
    input: (id) => ({ kind: 'password-reset', holder: id }),
    attributes: (id) => [{ key: searchAttributes.userId, value: id }],
    summary: (id) => `Recovery link of user ${id}: ends after its time`,
  },
};

/** How long a one-time secret lives, in milliseconds (decisions.md §2, service.md "Limits"). */
export const secretLifetimeMs = { captcha: 10 * 60_000, 'password-reset': 30 * 60_000 } as const;
