import type { CommandHandler, RecordProcess } from '../../src/platform/workflows/define-process.ts';

/** Returns a command of a process by its name. */
export function handlerOf<Row extends { id: number }>(process: RecordProcess<Row>, name: string): CommandHandler<Row> {
  const handler = process.commands.find((command) => command.name === name);
  if (handler === undefined) throw new Error(`${process.kind} has no command ${name}`);
  return handler;
}
