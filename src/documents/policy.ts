import type { SignedIn } from '../http/access.ts';

export function isAdministrator(principal: SignedIn): boolean {
  return principal.user.role === 'administrator';
}

/** A document is read by its owner and by administrators; for anybody else it does not exist. */
export function mayRead(principal: SignedIn, ownerId: number): boolean {
  return principal.user.id === ownerId || isAdministrator(principal);
}
