import type { CommandContext } from './context.ts';
import { definePoint } from './extensions.ts';

/**
 * Checks within a command's transaction that its actor still has the rights of the request. The result must stay valid until the commit.
 * @throws {DomainError} forbidden
 */
export type ActorCheck = (ctx: Pick<CommandContext, 'actor' | 'db'>) => Promise<void>;

/** Every command runs these checks before its commit (`command.ts`), so no command can omit them. */
export const actorChecks = definePoint<ActorCheck>('whether the actor still has the rights of the request');
