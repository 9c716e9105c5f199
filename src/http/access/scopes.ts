/** All scopes of API keys. */
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
  'changes:read',
  'webhooks:write',
  'admin:read',
  'admin:write',
] as const;
export type Scope = (typeof scopes)[number];

/** Returns the scopes of a browser session: all for an administrator, for others all except `admin:…`. */
export function scopesOfRole(role: 'user' | 'administrator'): Scope[] {
  return role === 'administrator' ? [...scopes] : scopes.filter((scope) => !scope.startsWith('admin:'));
}
