import { ApplicationFailure } from '@temporalio/common';
import { condition } from '@temporalio/workflow';
import type { EntityWorkflow, LongWork } from './entity-workflow.ts';
import type { ProcessView } from './process.contract.ts';

interface MadeFile {
  /** For messages. */
  file: string;
  /** Whether a record in this state needs its file, if this run has not made it. */
  isMissing: (view: ProcessView) => boolean;
  /** A caller's question makes the file again, which restores a lost one. Otherwise it is made once in a run. */
  isRestored: boolean;
}

/**
 * Long work that makes a record's file when the record needs it, and on a caller's question.
 * @param make idempotent: finds an existing file with one read
 */
export function makingFile(make: (id: number) => Promise<void>, { file, isMissing, isRestored }: MadeFile) {
  return (process: EntityWorkflow, id: number): { longWork: LongWork } => {
    /** How often this run made or found the file. */
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
          // A file that cannot be made is retried when a message wakes the process, not at each request for it.
          const problem = () => (isMaking ? null : process.settlingProblem);
          if (problem() === null) makeAlone().catch((cause: unknown) => process.failSettling(cause));
          // Storage may be away for hours; a caller gets "try again" before their timeout, whatever the cause.
          await condition(() => timesMade > before || problem() !== null, '8s', { summary: `a caller waits for the ${file}` });
          process.showRequest(requestId);
          if (timesMade > before) return;
          const { code, words } = problem() ?? { code: 'service_unavailable', words: `the ${file} is still being made` };
          throw ApplicationFailure.create({ message: words, type: code, nonRetryable: true });
        },
      },
    };
  };
}
