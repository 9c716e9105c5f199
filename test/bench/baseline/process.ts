// Baseline of 2026-11-21, frozen: see workflows.ts.
import { ActivityFailure, ApplicationFailure, CancelledFailure, type UpdateDefinition } from '@temporalio/common';
import {
  allHandlersFinished,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  upsertMemo,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import {
  beginsNewRun,
  factsChangedSignal,
  type ProcessCommand,
  type ProcessView,
  reconsiderUpdate,
  searchAttributes,
} from './contracts.ts';

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
