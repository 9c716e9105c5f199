import { EntityWorkflow, type LongWork, type Reconsider } from './entity-workflow.ts';
import type { ArgsOf, NameOf, ProcessCommand, ProcessContract, ProcessView, RecordInput } from './contracts/process.contract.ts';

/** Runs a command that leaves the database. */
type Perform<Args> = (command: ProcessCommand<Args>) => Promise<ProcessView>;

/** Work of a process besides its steps, from its contract. */
type OwnWork<Contract extends ProcessContract> = { reconsider?: Reconsider } & (Contract extends { longWork: object }
  ? { longWork: LongWork }
  : unknown) &
  ([NameOf<Contract, 'activity'>] extends [never]
    ? unknown
    : { commands: { [Name in NameOf<Contract, 'activity'>]: Perform<ArgsOf<Contract, Name>> } });

/** The same for any contract. */
interface AnyWork {
  reconsider?: Reconsider;
  longWork?: LongWork;
  commands?: Record<string, Perform<never>>;
}

/** Creates the work of one run; its state ends with the run. */
type BeginWork<Contract extends ProcessContract> = (process: EntityWorkflow, id: number) => OwnWork<Contract>;

/**
 * Declares the workflow of a record's process: its handlers follow from the contract.
 * @param begin required if the contract has long work or activity commands
 */
export function recordWorkflow<Contract extends ProcessContract>(
  contract: Contract,
  ...[begin]: object extends OwnWork<Contract> ? [BeginWork<Contract>?] : [BeginWork<Contract>]
): (input: RecordInput) => Promise<void> {
  return async (input) => {
    const process = new EntityWorkflow(contract.kind, input);
    const { reconsider, longWork, commands }: AnyWork = begin?.(process, input.id) ?? {};
    if (reconsider) process.reconsiderWith(reconsider);
    for (const name of Object.keys(contract.commands)) process.onCommand(name, commands?.[name]);
    if (contract.longWork && longWork) process.afterSteps(contract.longWork.question, longWork);
    await process.live();
  };
}
