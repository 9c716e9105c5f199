import { allHandlersFinished, condition, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';
import { answering, bulk, standard } from '../../workflows/activity-profiles.ts';
import { twinCommand, twinQueues } from './twin-process.contract.ts';
import type { TwinProcessInput } from './twin-process.contract.ts';

interface NoOps {
  noOp(commandId: string): Promise<string>;
}
const command = proxyActivities<NoOps>(answering);
const look = proxyActivities<NoOps>(standard);
const file = proxyActivities<NoOps>({ ...bulk, taskQueue: twinQueues.documents });

/** The shape of a process and nothing else: a look at the start, an activity for each command, perhaps a file at the end. */
export async function twinProcess({ endsAfter, makesFile }: TwinProcessInput): Promise<void> {
  let commands = 0;
  setHandler(defineSignal('facts-changed'), () => undefined);
  setHandler(twinCommand, async ({ commandId }) => {
    await command.noOp(commandId);
    commands += 1;
  });
  await look.noOp('look');
  await condition(() => endsAfter !== null && commands >= endsAfter);
  if (makesFile) await file.noOp('file');
  await condition(allHandlersFinished);
}
