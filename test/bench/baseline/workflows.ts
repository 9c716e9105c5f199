/**
 * Baseline of 2026-11-21, frozen: do not change its behaviour. A changed baseline makes the figures of different days incomparable.
 *
 * It has the registry's processes of that day, when each step was a regular activity that the server dispatches eagerly with the workflow
 * task. The activities do nothing (`worker.ts`); there is no HTTP, SQL, bank or PDF. `npm run bench` reports ratios to it, measured in the
 * same run on the same machine. The SDK, the server and Node are those of the registry. Workflows that no benchmark needs are left out.
 */
import {
  ActivityFailure,
  type ActivityOptions,
  ApplicationFailure,
  CancelledFailure,
  defineSearchAttributeKey,
  SearchAttributeType,
  type UpdateDefinition,
} from '@temporalio/common';
import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineSignal,
  defineUpdate,
  patched,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertMemo,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';

export const taskQueues = ['registry', 'documents', 'bank'] as const;
export type TaskQueue = (typeof taskQueues)[number];

/** Command of a process. A repeated `commandId` has no second effect; `args` hold ids and small facts, no private data. */
export interface ProcessCommand<Args> {
  commandId: string;
  caller: { actor: { kind: 'process' }; requestId: string; ip: string | null };
  args: Args;
}
export type NoArgs = Record<string, never>;

/** State of a process after a step. An activity computes it from the record; the Temporal UI shows it. */
export interface ProcessView {
  /** Status of the record in one word. */
  stage: string;
  waitingFor: 'owner' | 'administrator' | 'bank' | 'date' | 'none';
  /** One or two sentences for support; no private data. */
  details: string;
  /** The workflow may complete. A later event of the record starts it again. */
  isOver: boolean;
  /** Milliseconds until the process must check its record again; null when only a message can move it. */
  wakeAfterMs: number | null;
}

/** Checks the record and takes the steps that are due. The sweeper sends it. */
export const reconsiderUpdate = defineUpdate<void, [{ requestId: string }]>('reconsider');
/** A fact that this process depends on has changed. */
export const factsChangedSignal = defineSignal('facts-changed');
/** Failure type of a message that is refused while the process begins a new run; the sender repeats it. */
export const beginsNewRun = 'begins_new_run';

export const searchAttributes = {
  applicationId: defineSearchAttributeKey('ApplicationId', SearchAttributeType.KEYWORD),
  requestId: defineSearchAttributeKey('RequestId', SearchAttributeType.KEYWORD),
  stage: defineSearchAttributeKey('Stage', SearchAttributeType.KEYWORD),
  waitingFor: defineSearchAttributeKey('WaitingFor', SearchAttributeType.KEYWORD),
};

/** An application from its draft to the end of its year; workflow id `application/{id}`. */
export interface ApplicationLifecycleInput {
  applicationId: number;
}

export interface ReviewApplicationArgs {
  decision: 'approve' | 'changes' | 'cancel';
  revision: number;
  validFrom: string | null;
  validUntil: string | null;
  privateInputId: string | null;
}

export const submitApplicationUpdate = defineUpdate<void, [ProcessCommand<NoArgs>]>('submit');
export const payApplicationUpdate = defineUpdate<void, [ProcessCommand<NoArgs>]>('pay');
export const reviewApplicationUpdate = defineUpdate<void, [ProcessCommand<ReviewApplicationArgs>]>('review');
export const cancelApplicationUpdate = defineUpdate<void, [ProcessCommand<{ privateInputId: string }>]>('cancel');
/** Waits until the certificate's PDF is in storage; makes it when it is missing. */
export const certificateUpdate = defineUpdate<void, [{ requestId: string }]>('certificate');

/** A document from its upload to its expiry; workflow id `document/{id}`. */
export interface DocumentReviewInput {
  documentId: number;
}

export interface ReviewArgs {
  decision: 'approve' | 'changes' | 'cancel';
  privateInputId: string | null;
}

export const reviewDocumentUpdate = defineUpdate<void, [ProcessCommand<ReviewArgs>]>('review');

/** An invoice from its creation to the bank's final status; workflow id `invoice/{id}`. */
export interface InvoiceReconciliationInput {
  invoiceId: number;
}

export const checkoutInvoiceUpdate = defineUpdate<void, [ProcessCommand<NoArgs>]>('checkout');
/** Queries the bank and answers when the status is recorded. */
export const verifyInvoiceUpdate = defineUpdate<void, [ProcessCommand<NoArgs>]>('verify');
/** An unverified callback of the bank: query the bank. */
export const bankHintSignal = defineSignal('bank-hint');

/** Steps of the workflows. */
export interface BaselineActivities {
  reconsiderApplication(id: number): Promise<ProcessView>;
  submitApplication(id: number, command: ProcessCommand<NoArgs>): Promise<ProcessView>;
  payApplication(id: number, command: ProcessCommand<NoArgs>): Promise<ProcessView>;
  reviewApplication(id: number, command: ProcessCommand<ReviewApplicationArgs>): Promise<ProcessView>;
  cancelApplication(id: number, command: ProcessCommand<{ privateInputId: string }>): Promise<ProcessView>;
  makeCertificate(id: number): Promise<void>;
  reconsiderDocument(id: number): Promise<ProcessView>;
  reviewDocument(id: number, command: ProcessCommand<ReviewArgs>): Promise<ProcessView>;
  reconcileInvoice(id: number, how: { askNow: boolean }): Promise<ProcessView>;
  checkoutInvoice(id: number, command: ProcessCommand<NoArgs>): Promise<ProcessView>;
  verifyInvoice(id: number, command: ProcessCommand<NoArgs>): Promise<ProcessView>;
}

/** Keeps a record that stays due from making its process loop. */
const shortestWaitMs = 1000;

/** Refuses messages once the history is long, until the next run begins. Constant traffic would keep the run from ending. */
export const unlessBeginningNewRun = {
  validator: (_message: unknown): void => {
    if (workflowInfo().continueAsNewSuggested) {
      throw ApplicationFailure.create({ message: 'the process begins a new run', type: beginsNewRun, nonRetryable: true });
    }
  },
};

/** Process of one record: takes one message at a time, sets one timer, and completes when it waits for nothing. Holds no facts. */
export class Process {
  private view: ProcessView | null = null;
  private wakeAt: number | null = null;
  private isWoken = false;
  private inFlight = 0;
  private isSettling = false;
  private settled: ProcessView | null = null;
  private settlingFault: { cause: unknown } | null = null;
  private turn: Promise<unknown> = Promise.resolve();
  private readonly reconsider: () => Promise<ProcessView>;
  private readonly settle: (view: ProcessView) => Promise<void>;

  /**
   * @param reconsider takes the steps that are due and returns the record's state
   * @param settle long work after a step, such as making a file; runs beside the turns, after the answer
   */
  constructor(reconsider: () => Promise<ProcessView>, settle: (view: ProcessView) => Promise<void> = async () => undefined) {
    this.reconsider = reconsider;
    this.settle = settle;
    setHandler(factsChangedSignal, () => this.wake());
    setHandler(
      reconsiderUpdate,
      async ({ requestId }) => {
        await this.inTurn(async () => this.show(await this.reconsider(), requestId));
      },
      unlessBeginningNewRun,
    );
  }

  /** Handles a command. A refusal is its answer and leaves the process unchanged. */
  onCommand<Args>(
    update: UpdateDefinition<void, [ProcessCommand<Args>]>,
    perform: (command: ProcessCommand<Args>) => Promise<ProcessView>,
  ): void {
    setHandler(
      update,
      async (command) => {
        await this.inTurn(async () => this.show(await perform(command), command.caller.requestId));
      },
      unlessBeginningNewRun,
    );
  }

  /** Makes the process check its record in its next turn. */
  wake(): void {
    this.isWoken = true;
  }

  /** Runs one piece of work at a time, in the order of arrival. */
  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.inFlight += 1;
    const mine = this.turn.then(work);
    this.turn = mine.catch(() => undefined);
    try {
      return await mine;
    } catch (error) {
      throw asAnswer(error);
    } finally {
      this.inFlight -= 1;
    }
  }

  /** Runs until the record is over. @param input of the next run, when the history is long */
  async live(input: unknown): Promise<void> {
    for (;;) {
      await condition(() => this.inFlight === 0);
      if (this.view === null || this.isWoken) {
        this.isWoken = false;
        await this.inTurn(async () => this.show(await this.reconsider(), null));
        continue;
      }
      const view = this.view;
      this.beginSettling(view);
      await condition(() => !this.isSettling || this.hasWork(view));
      if (this.settlingFault !== null) throw asAnswer(this.settlingFault.cause);
      if (this.hasWork(view)) continue;
      if (view.isOver) {
        await condition(allHandlersFinished);
        if (!this.isWoken && this.view === view) return;
        continue;
      }
      if (workflowInfo().continueAsNewSuggested) {
        await condition(allHandlersFinished);
        await continueAsNew(input);
      }
      await this.waitForWork(view);
    }
  }

  /** Starts the long work of a step beside the turns: a command must not wait until a file is made. */
  private beginSettling(view: ProcessView): void {
    if (this.isSettling || this.settled === view) return;
    this.isSettling = true;
    this.settle(view)
      .catch((cause: unknown) => {
        this.settlingFault = { cause };
      })
      .finally(() => {
        this.isSettling = false;
        this.settled = view;
      });
  }

  /** Whether something happened since this state. */
  private hasWork(view: ProcessView): boolean {
    return this.isWoken || this.view !== view || this.inFlight > 0;
  }

  private async waitForWork(view: ProcessView): Promise<void> {
    const isDone = () => this.hasWork(view) || workflowInfo().continueAsNewSuggested;
    if (this.wakeAt === null) {
      await condition(isDone);
      return;
    }
    const isMoved = await condition(isDone, Math.max(shortestWaitMs, this.wakeAt - Date.now()));
    if (!isMoved) this.wake();
  }

  private show(view: ProcessView, requestId: string | null): void {
    const isNews = this.view?.stage !== view.stage || this.view.waitingFor !== view.waitingFor;
    this.view = view;
    this.wakeAt = view.wakeAfterMs === null ? null : Date.now() + view.wakeAfterMs;
    setCurrentDetails(view.details);
    if (requestId !== null) upsertMemo({ requestId });
    if (isNews || requestId !== null) {
      upsertSearchAttributes([
        { key: searchAttributes.stage, value: view.stage },
        { key: searchAttributes.waitingFor, value: view.waitingFor },
        ...(requestId === null ? [] : [{ key: searchAttributes.requestId, value: requestId }]),
      ]);
    }
  }
}

/**
 * Turns an error into an ApplicationFailure: any other error blocks the workflow task instead of failing the update. A refusal stays as it
 * is; a timeout of an activity becomes "try again".
 */
function asAnswer(error: unknown): unknown {
  if (error instanceof CancelledFailure) return error;
  if (error instanceof ApplicationFailure) return error;
  if (error instanceof ActivityFailure && error.cause instanceof ApplicationFailure && error.cause.nonRetryable) {
    return ApplicationFailure.create({
      message: error.cause.message,
      type: error.cause.type ?? 'internal_error',
      nonRetryable: true,
      ...(error.cause.details ? { details: error.cause.details } : {}),
    });
  }
  if (error instanceof ActivityFailure)
    return ApplicationFailure.create({
      message: 'the step could not be finished in time',
      type: 'service_unavailable',
      nonRetryable: true,
    });
  return ApplicationFailure.create({ message: 'the process failed to answer', type: 'internal_error', nonRetryable: true });
}

/** Steps of commands: they give up while the client still waits, so that it receives "try again". */
const answering: ActivityOptions = {
  startToCloseTimeout: '5s',
  scheduleToCloseTimeout: '8s',
  retry: { initialInterval: '100ms', backoffCoefficient: 2, maximumInterval: '2s' },
};
/** Steps of the process itself: retried until they succeed. */
const standard: ActivityOptions = {
  startToCloseTimeout: '10s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '10s' },
};

const { submitApplication, payApplication, reviewApplication, cancelApplication, reviewDocument } =
  proxyActivities<BaselineActivities>(answering);
const { reconsiderApplication, reconsiderDocument, reconcileInvoice } = proxyActivities<BaselineActivities>(standard);
// The workers of the documents draw PDFs, so that drawing never delays an answer.
const { makeCertificate } = proxyActivities<BaselineActivities>({
  startToCloseTimeout: '10m',
  heartbeatTimeout: '15s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '30s' },
  taskQueue: 'documents',
});
const { checkoutInvoice, verifyInvoice } = proxyActivities<BaselineActivities>({
  ...answering,
  retry: { ...answering.retry, maximumAttempts: 3 },
});

/** An application waits for its owner, the bank, an administrator and a date, and closes at the end of its year. */
export async function applicationLifecycle(input: ApplicationLifecycleInput): Promise<void> {
  const { applicationId } = input;
  let isCertificateMade = false;
  let isMaking = false;
  const makeCertificateOnce = async () => {
    if (isCertificateMade || isMaking) return;
    isMaking = true;
    try {
      await makeCertificate(applicationId);
      isCertificateMade = true;
    } finally {
      isMaking = false;
    }
  };
  const process = new Process(
    () => reconsiderApplication(applicationId),
    async (view) => {
      if (view.stage === 'approved') await makeCertificateOnce();
    },
  );
  process.onCommand(submitApplicationUpdate, (command) => submitApplication(applicationId, command));
  process.onCommand(payApplicationUpdate, (command) => payApplication(applicationId, command));
  process.onCommand(reviewApplicationUpdate, (command) => reviewApplication(applicationId, command));
  process.onCommand(cancelApplicationUpdate, (command) => cancelApplication(applicationId, command));
  setHandler(
    certificateUpdate,
    async () => {
      if (!patched('certificate-answer-gives-up')) {
        await process.inTurn(async () => (isMaking ? condition(() => isCertificateMade) : makeCertificateOnce()));
        return;
      }
      // Storage may be down for hours; the client receives "try again" before it stops waiting.
      makeCertificateOnce().catch(() => undefined);
      const isMade = await condition(() => isCertificateMade, '8s');
      if (!isMade)
        throw ApplicationFailure.create({
          message: 'the certificate is still being made',
          type: 'service_unavailable',
          nonRetryable: true,
        });
    },
    unlessBeginningNewRun,
  );
  await process.live(input);
}

/** A document waits for its review, then for the day on which it expires. */
export async function documentReview(input: DocumentReviewInput): Promise<void> {
  const process = new Process(() => reconsiderDocument(input.documentId));
  process.onCommand(reviewDocumentUpdate, (command) => reviewDocument(input.documentId, command));
  await process.live(input);
}

/** Queries the bank after a hint, on demand and at growing intervals until the status is final; then daily for late money. */
export async function invoiceReconciliation(input: InvoiceReconciliationInput): Promise<void> {
  const { invoiceId } = input;
  let isHinted = false;
  const process = new Process(async () => {
    const askNow = isHinted;
    isHinted = false;
    return reconcileInvoice(invoiceId, { askNow });
  });
  setHandler(bankHintSignal, () => {
    isHinted = true;
    process.wake();
  });
  process.onCommand(checkoutInvoiceUpdate, (command) => checkoutInvoice(invoiceId, command));
  process.onCommand(verifyInvoiceUpdate, (command) => verifyInvoice(invoiceId, command));
  await process.live(input);
}
