import { ApplicationFailure } from '@temporalio/common';
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  defineUpdate,
  isCancellation,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertMemo,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { WaitingFor } from '../src/platform/workflows/process-start.ts';
import { answering, once, standard } from './activity-profiles.ts';
import {
  beginsNewRun,
  type ProcessCommand,
  type ProcessView,
  reconsiderUpdate,
  type RecordInput,
  retryTimer,
  searchAttributes,
  wakeSignal,
} from './contracts/process.contract.ts';
import { pauseAfter, toUpdateFailure, type Trouble, troubleOf } from './failures.ts';

/** Prevents a loop while a record stays due. */
const shortestWaitMs = 1000;
/** Workflow time stands still during a turn, so a timer set from it would fire slightly early. */
const stepMarginMs = 250;
/** Two clocks measure durations, so the time of the same date varies slightly. */
const timerToleranceMs = 1000;

/**
 * Rejects messages after a long history until the next run begins; otherwise constant messages would prevent its end. The sender retries,
 * and a rejected message writes nothing.
 */
const unlessBeginningNewRun = {
  validator: (_message: unknown): void => {
    if (workflowInfo().continueAsNewSuggested) {
      throw ApplicationFailure.create({ message: 'the process begins a new run', type: beginsNewRun, nonRetryable: true });
    }
  },
};

/** Steps of a process by name, `<kind>.<command>`; the worker registers them from the areas' definitions. */
type CommandStep = (id: number, command: ProcessCommand<unknown>) => Promise<ProcessView>;
type ReconsiderStep = (id: number) => Promise<ProcessView>;

const reconsiderSummary = 'reads its record again';
const reconsiderSteps = proxyLocalActivities<Record<string, ReconsiderStep>>({ ...standard, summary: reconsiderSummary });
/** For a process with a trouble: an attempt that will probably fail must not delay commands. */
const singleAttemptSteps = proxyLocalActivities<Record<string, ReconsiderStep>>({ ...once, summary: `${reconsiderSummary}, in trouble` });

/** Runs due work that needs more than the local step, and returns the record's state. */
export type Reconsider = (step: () => Promise<ProcessView>) => Promise<ProcessView>;

/** Long work after a step, such as generating a file. */
export interface LongWork {
  /**
   * Returns the work that a state needs; null for none. It runs in parallel with turns, after the answer. External failures are retried.
   * After a final failure the process waits for support, and retries after its next step.
   */
  settle(view: ProcessView): (() => Promise<void>) | null;
  /** Waits for the work for a caller. */
  answer(requestId: string): Promise<void>;
}

/**
 * The process of one record. It handles messages and its timer one at a time, shows its state, and completes when it waits for nothing. The
 * record has all facts, so the process can be restarted at any moment.
 *
 * A step is a local activity and costs one workflow task. It may run twice: a repeated command finds the effect of its first run
 * (`activities/execute.ts`).
 */
export class EntityWorkflow {
  private view: ProcessView | null = null;
  private wakeAt: number | null = null;
  private timer: { at: number; scope: CancellationScope } | null = null;
  private isWoken = false;
  /** Request of the last wake-up, until the process has read the record. */
  private wokenBy: string | null = null;
  private inFlight = 0;
  private turnsTaken = 0;
  /** Scope of the long work in progress. */
  private settling: CancellationScope | null = null;
  private settled: ProcessView | null = null;
  private settlingFault: { cause: unknown } | null = null;
  /** Trouble of its own steps, until one succeeds or nothing is due. */
  private stepTrouble: Trouble | null = null;
  private retryAt = 0;
  /** Trouble of the long work, until it succeeds. */
  private settlingTrouble: Trouble | null = null;
  private shown: { stage: string | null; waitingFor: WaitingFor | null; dueAt: number } = {
    stage: null,
    waitingFor: null,
    dueAt: -Infinity,
  };
  /** Request of the last served message. */
  private servedRequestId: string | null = null;
  private turn: Promise<unknown> = Promise.resolve();
  private readonly kind: string;
  private readonly input: RecordInput;
  private reconsider: () => Promise<ProcessView>;
  private settle: LongWork['settle'] = () => null;

  /** @param kind of the process, from its contract */
  constructor(kind: string, input: RecordInput) {
    this.kind = kind;
    this.input = input;
    this.isWoken = input.continued?.isWoken ?? false;
    this.wokenBy = input.continued?.requestId ?? null;
    this.reconsider = () => stepOf(this.stepTrouble === null ? reconsiderSteps : singleAttemptSteps, `${kind}.reconsider`)(input.id);
    setHandler(wakeSignal, ({ requestId }) => this.wake(requestId));
    setHandler(reconsiderUpdate, ({ requestId }) => this.inTurn(() => this.readRecord(requestId)), unlessBeginningNewRun);
  }

  /** Replaces the local step for due work. */
  reconsiderWith(reconsider: Reconsider): void {
    const step = this.reconsider;
    this.reconsider = () => reconsider(step);
  }

  /** @param question name of the update that waits for the work */
  afterSteps(question: string, { settle, answer }: LongWork): void {
    this.settle = settle;
    setHandler(defineUpdate<void, [{ requestId: string }]>(question), ({ requestId }) => answer(requestId), unlessBeginningNewRun);
  }

  /**
   * Registers a command's update, which runs the step of the same name. A refusal answers the caller and leaves the process unchanged.
   * @param perform another way to run it, for a command that leaves the database
   */
  onCommand(name: string, perform?: (command: ProcessCommand<never>) => Promise<ProcessView>): void {
    const steps = proxyLocalActivities<Record<string, CommandStep>>({ ...answering, summary: `command: ${name}` });
    const step = (command: ProcessCommand<never>) => stepOf(steps, `${this.kind}.${name}`)(this.input.id, command);
    setHandler(
      defineUpdate<void, [ProcessCommand<never>]>(name),
      (command) => {
        const { requestId } = command.caller;
        return this.inTurn(async () => {
          let view: ProcessView;
          try {
            view = await (perform ?? step)(command);
          } catch (error) {
            this.showRequest(requestId);
            // The process may wait for a change that was committed before the failure.
            const mayHaveChanged = perform !== undefined || !troubleOf(error, null).isOfRecord;
            if (mayHaveChanged) this.wake();
            throw error;
          }
          this.show(view, requestId);
        });
      },
      unlessBeginningNewRun,
    );
  }

  /**
   * Shows the request of a message that left the record unchanged: a refused command, a query. A search in Temporal then finds the process
   * that served the request last.
   */
  showRequest(requestId: string): void {
    this.display(requestId);
  }

  /** Returns the trouble of the long work; null without one. */
  get settlingProblem(): Trouble | null {
    return this.settlingTrouble;
  }

  /** Records the final failure of long work that was started for a message. */
  failSettling(cause: unknown): void {
    if (!isCancellation(cause)) this.endSettling(troubleOf(cause, this.settlingTrouble));
  }

  /**
   * Makes the process read its record in its next turn.
   * @param requestId of the request that caused it
   */
  wake(requestId: string | null = null): void {
    this.isWoken = true;
    this.wokenBy = requestId ?? this.wokenBy;
  }

  /** Runs one piece of work at a time, in order of arrival. */
  private async inTurn(work: () => Promise<void>): Promise<void> {
    this.inFlight += 1;
    const mine = this.turn.then(work);
    this.turn = mine.catch(() => undefined);
    try {
      await mine;
    } catch (error) {
      throw toUpdateFailure(error);
    } finally {
      this.inFlight -= 1;
      this.turnsTaken += 1;
    }
  }

  /** Runs until the process waits for nothing. */
  async live(): Promise<void> {
    for (;;) {
      if (this.inFlight > 0) await condition(() => this.inFlight === 0);
      // Before the next message, so that constant messages do not prevent the end of the run. The next run reads the record first, so no
      // wake-up is lost.
      if (workflowInfo().continueAsNewSuggested) {
        await condition(allHandlersFinished);
        await this.stopSettling();
        await continueAsNew(this.nextInput());
      }
      if (this.isWoken || (this.view === null && this.stepTrouble === null)) {
        await this.inTurn(() => this.readRecordByItself());
        continue;
      }
      const { view, turnsTaken } = this;
      if (view !== null) {
        this.beginSettling(view);
        if (this.settling !== null) await condition(() => this.settling === null || this.hasWork(turnsTaken));
        if (this.settlingFault !== null) throw toUpdateFailure(this.settlingFault.cause);
        if (this.inFlight > 0 || this.hasWork(turnsTaken)) continue;
        if (view.isOver) {
          await condition(allHandlersFinished);
          if (!this.isWoken && this.view === view) return;
          continue;
        }
      }
      this.setTimer(view);
      await condition(() => this.hasWork(turnsTaken));
    }
  }

  /** Returns state outside the record: whether a wake-up is pending, and the last served request. */
  private nextInput(): RecordInput {
    return { id: this.input.id, continued: { isWoken: this.isWoken, requestId: this.wokenBy ?? this.servedRequestId } };
  }

  /** Reads the record and runs due work; this handles every earlier wake-up. */
  private async readRecord(requestId: string | null): Promise<void> {
    this.isWoken = false;
    this.wokenBy = null;
    let view: ProcessView;
    try {
      view = await this.reconsider();
    } catch (error) {
      if (isCancellation(error)) throw error;
      this.stepTrouble = troubleOf(error, this.stepTrouble);
      this.retryAt = Date.now() + pauseAfter(this.stepTrouble);
      this.display(requestId);
      throw error;
    }
    this.stepTrouble = null;
    this.show(view, requestId);
  }

  /** Does the same without a waiting caller: shows a failure and retries it later. */
  private async readRecordByItself(): Promise<void> {
    try {
      await this.readRecord(this.wokenBy);
    } catch (error) {
      if (this.stepTrouble === null) throw error;
    }
  }

  /** Starts the long work of a step in parallel with turns, so that commands do not wait for a file. */
  private beginSettling(view: ProcessView): void {
    if (this.settling !== null || this.settled === view) return;
    this.settled = view;
    const work = this.settle(view);
    if (work === null) {
      this.endSettling(null);
      return;
    }
    this.settling = new CancellationScope();
    this.settling
      .run(work)
      .then(
        () => this.endSettling(null),
        (cause: unknown) => {
          if (isCancellation(cause)) this.settlingFault = { cause };
          else this.endSettling(troubleOf(cause, this.settlingTrouble));
        },
      )
      .finally(() => {
        this.settling = null;
      });
  }

  /** Stops long work at the end of a run, so that it does not overlap with that of the next run. */
  private async stopSettling(): Promise<void> {
    if (this.settling === null) return;
    this.settling.cancel();
    await condition(() => this.settling === null);
  }

  private endSettling(trouble: Trouble | null): void {
    if (trouble === this.settlingTrouble) return;
    this.settlingTrouble = trouble;
    this.display(null);
  }

  /**
   * Returns whether something happened since `turnsTaken` turns and no turn is in progress. One condition for all events, because each wait
   * costs a call into the sandbox.
   */
  private hasWork(turnsTaken: number): boolean {
    return this.inFlight === 0 && (this.isWoken || this.turnsTaken !== turnsTaken || workflowInfo().continueAsNewSuggested);
  }

  /** Sets the timer for the next date or retry. Keeps a timer for the same date, because most commands do not change it. */
  private setTimer(view: ProcessView | null): void {
    const next = this.nextTimer(view);
    const at = next === null ? null : Math.max(next.at, Date.now() + shortestWaitMs);
    if (this.timer !== null && at !== null && Math.abs(this.timer.at - at) <= timerToleranceMs) return;
    this.timer?.scope.cancel();
    this.timer = null;
    if (next === null || at === null) return;
    const { summary } = next;
    const timer = { at, scope: new CancellationScope() };
    this.timer = timer;
    timer.scope
      .run(() => sleep(at - Date.now(), { summary }))
      .then(
        () => {
          this.timer = null;
          this.wake();
        },
        (error: unknown) => {
          if (!isCancellation(error)) throw error;
        },
      );
  }

  private nextTimer(view: ProcessView | null): { at: number; summary: string } | null {
    // Its own date may be the failing step.
    if (this.stepTrouble !== null) return { at: this.retryAt, summary: retryTimer };
    return view === null || view.timer === null ? null : { at: this.wakeAt ?? 0, summary: view.timer.summary };
  }

  private show(view: ProcessView, requestId: string | null): void {
    this.view = view;
    this.wakeAt = view.timer === null ? null : Date.now() + view.timer.afterMs + stepMarginMs;
    // A command may have removed the cause of the failure.
    if (!view.isDue) this.stepTrouble = null;
    this.display(requestId);
  }

  /** Shows the record's state, after what blocks the process. */
  private display(requestId: string | null): void {
    const { view } = this;
    const stuck = [this.stepTrouble, this.settlingTrouble].find((trouble) => trouble?.isOfRecord === true);
    const stage = view?.stage ?? null;
    const waitingFor = stuck ? 'support' : (view?.waitingFor ?? null);
    const dueAt = this.wakeAt ?? 0;
    const isMoved = Math.abs(dueAt - this.shown.dueAt) > timerToleranceMs;
    const isNews = stage !== this.shown.stage || waitingFor !== this.shown.waitingFor || isMoved;
    this.shown = { stage, waitingFor, dueAt };
    setCurrentDetails([...(stuck ? [`Stuck. Waits for support: ${stuck.words}`] : []), ...(view ? [view.details] : [])].join(' '));
    if (requestId !== null) {
      this.servedRequestId = requestId;
      if (!this.isWoken) this.wokenBy = null;
      upsertMemo({ requestId });
    }
    if (isNews || requestId !== null) {
      upsertSearchAttributes([
        ...(stage === null ? [] : [{ key: searchAttributes.stage, value: stage }]),
        ...(waitingFor === null ? [] : [{ key: searchAttributes.waitingFor, value: waitingFor }]),
        ...(isMoved ? [{ key: searchAttributes.dueAt, value: this.wakeAt === null ? null : new Date(this.wakeAt) }] : []),
        ...(requestId === null ? [] : [{ key: searchAttributes.requestId, value: requestId }]),
      ]);
    }
  }
}

/** Returns a step by name; a missing one is a bug. */
function stepOf<Step>(steps: Record<string, Step>, name: string): Step {
  const step = steps[name];
  if (step === undefined)
    throw ApplicationFailure.create({ message: `there is no step ${name}`, type: 'internal_error', nonRetryable: true });
  return step;
}
