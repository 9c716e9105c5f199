import { ApplicationFailure, type UpdateDefinition } from '@temporalio/common';
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  patched,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertMemo,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { WaitingFor } from '../src/platform/process-start.ts';
import { answering, once, standard } from './activity-profiles.ts';
import { asAnswer } from './as-answer.ts';
import { patches } from './patches.ts';
import {
  beginsNewRun,
  type ProcessCommand,
  type ProcessView,
  reconsiderUpdate,
  type RecordInput,
  searchAttributes,
  wakeSignal,
} from './process.contract.ts';
import { pauseAfter, type Trouble, troubleOf } from './trouble.ts';

/** A record that stays due whatever is done must not turn its process in circles. */
const shortestWaitMs = 1000;
/** The clock of a turn stands still while its steps run, so a timer counted from it would be over a little before its time. */
const stepMarginMs = 250;
/** Durations are counted by two clocks, so the same date comes out a little differently each time. */
const timerToleranceMs = 1000;

/**
 * Lets no message in once the history has grown long, until the next run has begun: a stream of messages without a pause would
 * keep the run from ever ending. The sender tries again by itself, and nothing is written for what was turned away.
 */
export const unlessBeginningNewRun = {
  validator: (_message: unknown): void => {
    if (workflowInfo().continueAsNewSuggested) {
      throw ApplicationFailure.create({ message: 'the process begins a new run', type: beginsNewRun, nonRetryable: true });
    }
  },
};

/** The steps of a process by their names, `<kind>.<command>`; registered by the worker from the areas' definitions. */
type CommandStep = (id: number, command: ProcessCommand<unknown>) => Promise<ProcessView>;
type LookStep = (id: number) => Promise<ProcessView>;

const looks = 'looks at its record';
const lookSteps = proxyLocalActivities<Record<string, LookStep>>({ ...standard, summary: looks });
/** Of a process that is in trouble already: a try that is likely to fail must not hold up its commands. */
const singleLookSteps = proxyLocalActivities<Record<string, LookStep>>({ ...once, summary: `${looks}, in trouble` });

/** What a process does beyond its commands. */
export interface EntityWorkflowOptions {
  /** Does what is due and says how the record stands, where that takes more than a local step. @param look the local step */
  reconsider?: (look: () => Promise<ProcessView>) => Promise<ProcessView>;
  /**
   * The long work that follows a step, such as making a file; null where there is none. It runs beside the turns, after the callers were
   * answered. It is tried again by itself while the world is at fault; where it fails for good the process waits for support, and tries
   * again after its next step.
   */
  settle?: (view: ProcessView) => (() => Promise<void>) | null;
}

/**
 * The life of one record's process: it takes turns between messages and its own timer, shows how it stands, and completes
 * when nothing is left to wait for. It keeps no facts: the record does, so it can be started anew at any moment.
 *
 * A step is a local activity: it costs one turn of Temporal, and it is safe because the record is the truth and a command that
 * runs again finds what its first run left (`activities/execute.ts`).
 */
export class EntityWorkflow {
  private view: ProcessView | null = null;
  private wakeAt: number | null = null;
  private timer: { at: number; scope: CancellationScope } | null = null;
  private isWoken = false;
  /** Of the last message that woke it, until it has looked. */
  private wokenBy: string | null = null;
  private inFlight = 0;
  private turnsTaken = 0;
  /** Of the long work that runs now. */
  private settling: CancellationScope | null = null;
  private settled: ProcessView | null = null;
  private settlingFault: { cause: unknown } | null = null;
  /** Of the steps it takes by itself, until one has succeeded or nothing is due any more. */
  private stepTrouble: Trouble | null = null;
  private retryAt = 0;
  /** Of the long work that follows a step, until it has succeeded. */
  private settlingTrouble: Trouble | null = null;
  private shown: { stage: string | null; waitingFor: WaitingFor | null } = { stage: null, waitingFor: null };
  /** Of the message served last. */
  private servedRequestId: string | null = null;
  private turn: Promise<unknown> = Promise.resolve();
  private readonly kind: string;
  private readonly input: RecordInput;
  private readonly reconsider: () => Promise<ProcessView>;
  private readonly settle: (view: ProcessView) => (() => Promise<void>) | null;

  /** @param kind of the process, as its definition names it */
  constructor(kind: string, input: RecordInput, options: EntityWorkflowOptions = {}) {
    this.kind = kind;
    this.input = input;
    this.isWoken = input.continued?.isWoken ?? false;
    this.wokenBy = input.continued?.requestId ?? null;
    const look = () => stepOf(this.stepTrouble === null ? lookSteps : singleLookSteps, `${kind}.reconsider`)(input.id);
    const { reconsider } = options;
    this.reconsider = reconsider ? () => reconsider(look) : look;
    this.settle = options.settle ?? (() => null);
    setHandler(wakeSignal, ({ requestId }) => this.wake(requestId));
    setHandler(reconsiderUpdate, ({ requestId }) => this.inTurn(() => this.look(requestId)), unlessBeginningNewRun);
  }

  /**
   * Lets commands through, each to the step of its name; a refusal is the caller's answer and leaves the process as it was.
   * @param perform another way to carry it out, for a command that leaves the database
   */
  onCommand<Args>(
    update: UpdateDefinition<void, [ProcessCommand<Args>]>,
    perform?: (command: ProcessCommand<Args>) => Promise<ProcessView>,
  ): void {
    const steps = proxyLocalActivities<Record<string, CommandStep>>({ ...answering, summary: `command: ${update.name}` });
    const step = (command: ProcessCommand<Args>) => stepOf(steps, `${this.kind}.${update.name}`)(this.input.id, command);
    setHandler(
      update,
      (command) => {
        const { requestId } = command.caller;
        return this.inTurn(async () => {
          let view: ProcessView;
          try {
            view = await (perform ?? step)(command);
          } catch (error) {
            this.showRequest(requestId);
            // What was committed before it failed, or while nobody heard of it, may be all that the process has waited for.
            const mayHaveChanged = perform !== undefined || !troubleOf(error, null).isOfRecord;
            if (mayHaveChanged && patched(patches.stuckServesOn)) this.wake();
            throw error;
          }
          this.show(view, requestId);
        });
      },
      unlessBeginningNewRun,
    );
  }

  /**
   * Shows the request of a message that left the record as it was: a refused command, a question. Whoever asks Temporal for a request
   * finds the process that served it last.
   */
  showRequest(requestId: string): void {
    if (patched(patches.requestOfEveryMessage)) this.display(requestId);
  }

  /** Why the long work that follows a step cannot be done; null while it can, or may. */
  get settlingProblem(): Trouble | null {
    return this.settlingTrouble;
  }

  /** Takes note that this work has failed for good, where it was begun for a message. */
  failSettling(cause: unknown): void {
    if (!isCancellation(cause) && patched(patches.stuckServesOn)) this.endSettling(troubleOf(cause, this.settlingTrouble));
  }

  /** Makes the process look at its record as soon as it is its turn. @param requestId of the request that caused it */
  wake(requestId: string | null = null): void {
    this.isWoken = true;
    this.wokenBy = requestId ?? this.wokenBy;
  }

  /** Runs one piece of work at a time, in the order of arrival, so that the process never races itself. */
  private async inTurn(work: () => Promise<void>): Promise<void> {
    this.inFlight += 1;
    const mine = this.turn.then(work);
    this.turn = mine.catch(() => undefined);
    try {
      await mine;
    } catch (error) {
      throw asAnswer(error);
    } finally {
      this.inFlight -= 1;
      this.turnsTaken += 1;
    }
  }

  /** Lives until the record needs nobody any more. */
  async live(): Promise<void> {
    for (;;) {
      if (this.inFlight > 0) await condition(() => this.inFlight === 0);
      // Before the next message is served: a stream of them must not keep the run from ever ending. The next run looks first, so nothing
      // that woke this one is lost.
      if (workflowInfo().continueAsNewSuggested) {
        await condition(allHandlersFinished);
        await this.stopSettling();
        await continueAsNew(this.nextInput());
      }
      if (this.isWoken || (this.view === null && this.stepTrouble === null)) {
        await this.inTurn(() => this.lookByItself());
        continue;
      }
      const { view, turnsTaken } = this;
      if (view !== null) {
        this.beginSettling(view);
        if (this.settling !== null) await condition(() => this.settling === null || this.hasWork(turnsTaken));
        if (this.settlingFault !== null) throw asAnswer(this.settlingFault.cause);
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

  /** What the next run has to know that the record does not say: what has woken this one, and whose request was served last. */
  private nextInput(): RecordInput {
    return { id: this.input.id, continued: { isWoken: this.isWoken, requestId: this.wokenBy ?? this.servedRequestId } };
  }

  /** Looks at the record, which answers every message that has woken the process until now. */
  private async look(requestId: string | null): Promise<void> {
    this.isWoken = false;
    this.wokenBy = null;
    let view: ProcessView;
    try {
      view = await this.reconsider();
    } catch (error) {
      if (isCancellation(error)) throw error;
      if (!patched(patches.stuckServesOn)) {
        this.isWoken = true;
        throw error;
      }
      this.stepTrouble = troubleOf(error, this.stepTrouble);
      this.retryAt = Date.now() + pauseAfter(this.stepTrouble);
      this.display(requestId);
      throw error;
    }
    this.stepTrouble = null;
    this.show(view, requestId);
  }

  /** The same where nobody waits for the answer: what fails is shown, leaves the turn to the commands, and is tried again later. */
  private async lookByItself(): Promise<void> {
    try {
      await this.look(this.wokenBy);
    } catch (error) {
      if (this.stepTrouble === null) throw error;
    }
  }

  /** Starts the long work of a step beside the turns: whoever commands the process must not wait until a file is made. */
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
          if (isCancellation(cause) || !patched(patches.stuckServesOn)) this.settlingFault = { cause };
          else this.endSettling(troubleOf(cause, this.settlingTrouble));
        },
      )
      .finally(() => {
        this.settling = null;
      });
  }

  /** Long work that goes on when a run ends would do beside the same work of the next run what must be done once. */
  private async stopSettling(): Promise<void> {
    if (this.settling === null || !patched(patches.newRunAfterLongWork)) return;
    this.settling.cancel();
    await condition(() => this.settling === null);
  }

  private endSettling(trouble: Trouble | null): void {
    if (trouble === this.settlingTrouble) return;
    this.settlingTrouble = trouble;
    this.display(null);
  }

  /**
   * Whether something has come up since so many turns were taken, and nothing is in its turn; a history that has grown long is something too.
   * All of it is one condition, since each wait costs the worker another call into the sandbox.
   */
  private hasWork(turnsTaken: number): boolean {
    return this.inFlight === 0 && (this.isWoken || this.turnsTaken !== turnsTaken || workflowInfo().continueAsNewSuggested);
  }

  /**
   * Wakes the process when its next date has come, or the next try of what failed. A timer that is set for that date stays: most commands
   * leave it as it is.
   */
  private setTimer(view: ProcessView | null): void {
    const next = this.nextLook(view);
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

  private nextLook(view: ProcessView | null): { at: number; summary: string } | null {
    // Its date may have come and be the very thing that cannot be done.
    if (this.stepTrouble !== null) return { at: this.retryAt, summary: 'tries again' };
    return view === null || view.timer === null ? null : { at: this.wakeAt ?? 0, summary: view.timer.summary };
  }

  private show(view: ProcessView, requestId: string | null): void {
    this.view = view;
    this.wakeAt = view.timer === null ? null : Date.now() + view.timer.afterMs + stepMarginMs;
    // A command may have ended what could not be done.
    if (!view.isDue) this.stepTrouble = null;
    this.display(requestId);
  }

  /** Shows how the record stands and, over that, what keeps the process from going on. */
  private display(requestId: string | null): void {
    const { view } = this;
    const stuck = [this.stepTrouble, this.settlingTrouble].find((trouble) => trouble?.isOfRecord === true);
    const stage = view?.stage ?? null;
    const waitingFor = stuck ? 'support' : (view?.waitingFor ?? null);
    const isNews = stage !== this.shown.stage || waitingFor !== this.shown.waitingFor;
    this.shown = { stage, waitingFor };
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
        ...(requestId === null ? [] : [{ key: searchAttributes.requestId, value: requestId }]),
      ]);
    }
  }
}

/** Names come from definitions and updates of this code; one that is missing is an error of it. */
function stepOf<Step>(steps: Record<string, Step>, name: string): Step {
  const step = steps[name];
  if (step === undefined)
    throw ApplicationFailure.create({ message: `there is no step ${name}`, type: 'internal_error', nonRetryable: true });
  return step;
}
