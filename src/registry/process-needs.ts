/** Task queues of workflows and their steps; each process definition names one (`process.ts` of an area). */
export const workflowQueues = ['registry', 'documents', 'competitions'] as const;
/** All queues. The others take work that leaves the database or takes long, so that it takes no slot from commands. */
export const taskQueues = [...workflowQueues, 'certificates', 'exports', 'bank', 'webhooks', 'maintenance'] as const;

export type WorkflowQueue = (typeof workflowQueues)[number];
export type TaskQueue = (typeof taskQueues)[number];

/**
 * What a process uses beside the database, with the variables that production requires for it. Files and the bot are optional: their
 * variables are required where `STORAGE=s3` or `BOT_TOKEN` is set.
 */
export const requiredVariables = {
  temporal: ['TEMPORAL_ADDRESS'],
  site: ['BASE_URL'],
  probes: ['METRICS_PORT'],
  /** Cookies, captchas, client addresses in commands. */
  sessions: ['SESSION_SECRET'],
  /** Second factors, webhooks, signatures of certificates, links of mails. */
  encryption: ['ENCRYPTION_KEY'],
  bank: ['BANK_URL', 'BANK_TERMINAL', 'BANK_SECRET'],
  mail: ['SMTP_URL'],
  files: [],
  bot: [],
} as const;

export type Need = keyof typeof requiredVariables;

/** Kinds of processes. `all` is a process that tries or runs every part. */
export type ProcessPart = 'all' | 'api' | 'worker' | 'administrator' | 'keys' | 'credentials' | 'processes' | 'retention';

const everything = Object.keys(requiredVariables) as Need[];

/** Own needs of a queue's work. A command decrypts the address of its caller. */
const needsOfQueues: Readonly<Record<TaskQueue, readonly Need[]>> = {
  registry: ['sessions'],
  documents: ['sessions'],
  competitions: ['sessions'],
  certificates: ['encryption', 'files'],
  exports: ['encryption', 'files'],
  bank: ['sessions', 'bank'],
  webhooks: ['encryption', 'mail', 'bot'],
  maintenance: ['files'],
};

const needsOfParts: Readonly<Record<Exclude<ProcessPart, 'worker'>, readonly Need[]>> = {
  all: everything,
  api: everything,
  administrator: [],
  keys: ['encryption'],
  credentials: ['site', 'encryption'],
  processes: ['temporal'],
  retention: [],
};

/** Returns what a process uses, so that it gets and checks no other secret. @param queues of a worker */
export function needsOf(part: ProcessPart, queues: readonly TaskQueue[] = taskQueues): ReadonlySet<Need> {
  if (part !== 'worker') return new Set(needsOfParts[part]);
  return new Set<Need>(['temporal', 'site', 'probes', ...queues.flatMap((queue) => needsOfQueues[queue])]);
}
