import type { CommandContext } from './context.ts';
import { definePoint } from './extensions.ts';

/** Writes what follows from a command's facts, after all its own statements and in its transaction. */
export type BeforeCommit = (ctx: Pick<CommandContext, 'db' | 'now' | 'extensions' | 'facts' | 'wake'>) => Promise<void>;

/** `command.ts` calls these writers before each commit. */
export const beforeCommit = definePoint<BeforeCommit>('what follows from the facts of a command');
