import type { CommandContext } from './context.ts';
import { definePoint } from './extensions.ts';

/**
 * Asks within a command's transaction whether its actor still has the rights with which the request came in. The answer must hold until the
 * commit.
 * @throws {DomainError} forbidden
 */
export type ActorCheck = (ctx: Pick<CommandContext, 'actor' | 'db'>) => Promise<void>;

/** Every command asks here before it commits (`command.ts`), so no new command can forget it. */
export const actorChecks = definePoint<ActorCheck>('whether the actor still has the rights of the request');
