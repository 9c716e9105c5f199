/** The 14 scopes (service.md "Authentication" 2). */
export const scopes = [
  'profiles:read',
  'profiles:write',
  'files:read',
  'files:write',
  'applications:read',
  'applications:write',
  'wallet:read',
  'wallet:write',
  'events:read',
  'events:write',
  'notifications:read',
  'notifications:write',
  'admin:read',
  'admin:write',
] as const;
export type Scope = (typeof scopes)[number];

/** Scopes of a browser session: an administrator has all, anyone else all but the administration's (decisions.md §2). */
export function scopesOfRole(role: 'user' | 'administrator'): Scope[] {
  return role === 'administrator' ? [...scopes] : scopes.filter((scope) => !scope.startsWith('admin:'));
}
