import { activityCommand, command, defineContract, type ProcessView } from '../../workflows/contracts/process.contract.ts';
import { recordWorkflow } from '../../workflows/record-workflow.ts';
import type { CommandContext } from '../../src/platform/commands/context.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { defineProcess } from '../../src/platform/workflows/define-process.ts';
import { awaitLongWork, sendCommand } from '../../src/platform/workflows/send-command.ts';

const contract = defineContract({
  kind: 'parcel',
  workflow: 'parcelDelivery',
  queue: 'registry',
  commands: { weigh: command<{ grams: number }>(), label: command(), track: activityCommand() },
});

interface Parcel {
  id: number;
}
const described = {
  summary: (id: string) => `Parcel ${id}`,
  read: async (): Promise<Parcel[]> => [],
  describe: () => ({ stage: 'sent', waitingFor: 'date', details: '', isOver: false, isDue: false, next: null }) as const,
  listDue: async () => [],
  listLiving: async () => [],
};
const weigh = async (_ctx: CommandContext, id: number, _input: { grams: number }) => ({ id });
const label = async (_ctx: CommandContext, id: number) => ({ id });
type Steps = Parameters<typeof defineProcess<Parcel, typeof contract>>[1]['commands'];
const define = (commands: Steps) => defineProcess(contract, { ...described, commands });
const process = define({ weigh, label });
const track = async (): Promise<ProcessView> => Promise.reject(new Error('not called'));

/** The compiler checks this function, and refuses a directive below that suppresses nothing. */
async function notCalled(platform: Platform): Promise<void> {
  const sent = { caller: { actor: { kind: 'process' }, requestId: '', ip: null } } as const;
  await sendCommand(platform, process, 1, 'weigh', { ...sent, args: { grams: 5 } });
  // @ts-expect-error -- a misspelt command
  await sendCommand(platform, process, 1, 'wiegh', { ...sent, args: { grams: 5 } });
  // @ts-expect-error -- arguments of another command
  await sendCommand(platform, process, 1, 'label', { ...sent, args: { grams: 5 } });
  // @ts-expect-error -- its contract names no long work
  await awaitLongWork(platform, process, 1, '');
  // @ts-expect-error -- a missing step
  define({ weigh });
  // @ts-expect-error -- a misspelt step
  define({ weigh, lable: label });
  // @ts-expect-error -- an extra step: an activity runs this command
  define({ weigh, label, track: label });
  const pour = async (_ctx: CommandContext, id: number, _input: { litres: number }) => ({ id });
  // @ts-expect-error -- a step for other arguments
  define({ weigh: pour, label });
  // @ts-expect-error -- the workflow does not say how its activity command runs
  recordWorkflow(contract);
  // @ts-expect-error -- a misspelt activity command
  recordWorkflow(contract, () => ({ commands: { trakc: track } }));
  recordWorkflow(contract, () => ({ commands: { track } }));
}

test('the steps of a process match its contract, in order', () => {
  expect(process).toMatchObject({ kind: 'parcel', workflow: 'parcelDelivery', queue: 'registry' });
  expect(process.commands.map(({ name }) => name)).toEqual(['weigh', 'label']);
});

test('a name or argument that is not in the contract does not compile', () => {
  // `npm run check:types` checks the assertions.
  expect(notCalled).toBeInstanceOf(Function);
});
