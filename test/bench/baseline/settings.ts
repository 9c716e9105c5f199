// Baseline of 2026-11-21, frozen: see index.ts.

export const taskQueues = ['registry', 'documents', 'bank'] as const;
export type TaskQueue = (typeof taskQueues)[number];

/** Of each queue's worker; activities as many as a pool of 20 connections allowed three queues. */
export const workerSettings = {
  stickyQueueScheduleToStartTimeout: '1s',
  shutdownGraceTime: '10s',
  maxConcurrentActivityTaskExecutions: 6,
  maxConcurrentWorkflowTaskExecutions: 40,
  maxCachedWorkflows: 500,
} as const;
