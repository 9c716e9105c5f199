import Keygrip from 'keygrip';
import { argon2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { rememberAddress } from '../../src/areas/accounts/attempt-limits.ts';
import { actAs } from '../../src/areas/accounts/sessions/act-as.ts';
import { openAccount } from '../../src/areas/accounts/login/register-account.ts';
import { type StartedSession, startSession } from '../../src/areas/accounts/sessions/start-session.ts';
import { audit } from '../../src/areas/audit/index.ts';
import { baseUrl, required, type Variables } from '../../src/registry/config.ts';
import { sessionCookieName } from '../../src/http/access/authenticate.ts';
import { commit } from '../../src/platform/commands/command.ts';
import type { CommandContext } from '../../src/platform/commands/context.ts';
import type { Platform } from '../../src/platform/platform.ts';
import type { TestClient } from './client.ts';

const derive = promisify(argon2);
const ip = '127.0.0.1';

/** Hashes a password with a thousandth of the registry's work. A stored hash has its own parameters, so checking it is as cheap. */
async function cheapHash(password: string): Promise<string> {
  const [parameters, nonce] = [{ memory: 8, passes: 1, parallelism: 1 }, randomBytes(16)];
  const tag = await derive('argon2id', { ...parameters, message: password, nonce, tagLength: 32 });
  const text = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${parameters.memory},t=${parameters.passes},p=${parameters.parallelism}$${text(nonce)}$${text(tag)}`;
}

const password = 'a-long-enough-secret';
const passwordHash = await cheapHash(password);
const administratorEmail = 'admin@localhost';
export const administratorPassword = 'the-administrator-of-tests';
const administratorHash = await cheapHash(administratorPassword);

/**
 * Opens an account as `POST /auth/register` does, without its captcha, its slow hash and the mail to the address, which counts as
 * confirmed; signs the client in.
 */
export function signUp(platform: Platform, config: Variables, client: TestClient, email: string, name: string): Promise<void> {
  return signIn(platform, config, client, { email, password }, async (ctx) => {
    const opened = await openAccount(ctx, { email, passwordHash, name, phone: null, role: 'user', emailConfirmed: true });
    const started = await startSession(ctx, { userId: opened.id, former: null });
    await audit(actAs(ctx, opened), 'account.registered', { kind: 'user', id: opened.id }, { session_id: started.id });
    return { id: opened.id, session: started };
  });
}

/** Creates the first administrator as `createFirstAdministrator` does, without its slow hash. @returns the account's id */
export function openAdministrator(platform: Platform): Promise<number> {
  const caller = { actor: { kind: 'process' }, requestId: 'first-administrator', ip: null } as const;
  return commit(platform, caller, async (ctx) => {
    const account = { email: administratorEmail, passwordHash: administratorHash, name: 'Administrator', phone: null } as const;
    const { id } = await openAccount(ctx, { ...account, role: 'administrator', emailConfirmed: true });
    await audit(ctx, 'administrator.created', { kind: 'user', id });
    return id;
  });
}

/** Signs the first administrator in as `POST /auth/login` does, without checking the password. */
export function signInAdministrator(platform: Platform, config: Variables, client: TestClient, id: number): Promise<void> {
  const account = { email: administratorEmail, password: administratorPassword };
  return signIn(platform, config, client, account, async (ctx) => {
    const session = await startSession(ctx, { userId: id, former: null, userAgent: 'node' });
    await audit(actAs(ctx, { id, role: 'administrator' }), 'session.started', { kind: 'user', id }, { session_id: session.id });
    return { id, session };
  });
}

async function signIn(
  platform: Platform,
  config: Variables,
  client: TestClient,
  account: { email: string; password: string },
  start: (ctx: CommandContext) => Promise<{ id: number; session: StartedSession }>,
): Promise<void> {
  const { id, session } = await commit(platform, { actor: { kind: 'anonymous' }, requestId: 'sign-up', ip }, start);
  await rememberAddress(platform, account.email, ip);
  const cookie = `${sessionCookieName(baseUrl(config).startsWith('https:'))}=${session.token}`;
  const signature = new Keygrip([required(config, 'SESSION_SECRET')], 'sha256').sign(cookie);
  client.cookie = `${cookie}; ${cookie.replace('=', '.sig=').replace(session.token, signature)}`;
  client.csrf = session.csrfToken;
  client.userId = id;
  client.email = account.email;
  client.password = account.password;
}
