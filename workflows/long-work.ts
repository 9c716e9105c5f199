import { ApplicationFailure } from '@temporalio/common';
import { condition } from '@temporalio/workflow';
import type { EntityWorkflow, LongWork } from './entity-workflow.ts';
import type { ProcessView } from './contracts/process.contract.ts';

interface MadeFile {
  /** For messages. */
  file: string;
  /** Whether a record in this state needs its file. */
  isMissing: (view: ProcessView) => boolean;
  /** Whether a caller's request generates the file again, to restore a lost one. Otherwise it is generated once in a run. */
  isRestored: boolean;
}

/**
 * Long work that generates a record's file when the record needs it, and for a waiting caller.
 * @param make idempotent; finds an existing file with one read
 */
export function makingFile(make: (id: number) => Promise<void>, { file, isMissing, isRestored }: MadeFile) {
  return (process: EntityWorkflow, id: number): { longWork: LongWork } => {
    /** How often this run generated or found the file. */
    let timesMade = 0;
    let isMaking = false;
    const makeAlone = async () => {
      if (isMaking || (timesMade > 0 && !isRestored)) return;
      isMaking = true;
      try {
        await make(id);
        timesMade += 1;
      } finally {
        isMaking = false;
      }
    };
    return {
      longWork: {
        settle(view) {
          const isWanted = (isMissing(view) && timesMade === 0) || (isRestored && process.settlingProblem !== null);
          return isWanted ? makeAlone : null;
        },
        async answer(requestId) {
          const before = isRestored ? timesMade : 0;
          // After a final failure, only a wake-up retries, not each request for the file.
          const problem = () => (isMaking ? null : process.settlingProblem);
          if (problem() === null) makeAlone().catch((cause: unknown) => process.failSettling(cause));
          // The storage may be unavailable for hours; the caller reads 503 before its timeout.
          await condition(() => timesMade > before || problem() !== null, '8s', { summary: `a caller waits for the ${file}` });
          process.showRequest(requestId);
          if (timesMade > before) return;
          const { code, words } = problem() ?? { code: 'service_unavailable', words: `the ${file} is not ready; repeat the request later` };
          throw ApplicationFailure.create({ message: words, type: code, nonRetryable: true });
        },
      },
    };
  };
}

/**
 * Long work that runs whenever its record is due.
 * @param work idempotent; afterwards the record is read again, because facts may have changed meanwhile
 * @param summary of the wait of a caller, for the Temporal UI
 */
export function workWhenDue(work: (id: number) => Promise<void>, summary: string) {
  return (process: EntityWorkflow, id: number): { longWork: LongWork } => {
    let isWorking = false;
    const workOnce = async () => {
      isWorking = true;
      try {
        await work(id);
      } finally {
        isWorking = false;
      }
      process.wake();
    };
    return {
      longWork: {
        settle: (view) => (view.stage === 'due' ? workOnce : null),
        async answer(requestId) {
          process.wake(requestId);
          await condition(() => !isWorking, '8s', { summary });
          process.showRequest(requestId);
          if (process.settlingProblem === null) return;
          const { code, words } = process.settlingProblem;
          throw ApplicationFailure.create({ message: words, type: code, nonRetryable: true });
        },
      },
    };
  };
}
