import Keygrip from 'keygrip';
import { argon2, randomBytes, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { rememberAddress } from '../../src/areas/accounts/attempt-limits.ts';
import { registerAccount } from '../../src/areas/accounts/sessions/register-account.ts';
import { baseUrl, required, type Variables } from '../../src/config.ts';
import { sessionCookieName } from '../../src/http/access/authenticate.ts';
import { commit } from '../../src/platform/command.ts';
import type { Platform } from '../../src/platform/platform.ts';
import type { TestClient } from './client.ts';

const derive = promisify(argon2);
const ip = '127.0.0.1';

/** Hashes a password with a thousandth of the registry's work. A stored hash has its own parameters, so checking it is as cheap. */
export async function cheapHash(password: string): Promise<string> {
  const [parameters, nonce] = [{ memory: 8, passes: 1, parallelism: 1 }, randomBytes(16)];
  const tag = await derive('argon2id', { ...parameters, message: password, nonce, tagLength: 32 });
  const text = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${parameters.memory},t=${parameters.passes},p=${parameters.parallelism}$${text(nonce)}$${text(tag)}`;
}

const password = 'a-long-enough-secret';
const passwordHash = await cheapHash(password);

/** Opens an account as `POST /auth/register` does, without its captcha and its slow hash, and signs the client in. */
export async function signUp(platform: Platform, config: Variables, client: TestClient, email: string, name: string): Promise<void> {
  const caller = { actor: { kind: 'anonymous' }, requestId: 'sign-up', ip } as const;
  const { user, session } = await commit(platform, caller, (ctx) =>
    registerAccount(ctx, { email, passwordHash, name, phone: null, former: randomUUID() }),
  );
  await rememberAddress(platform, email, ip);
  const cookie = `${sessionCookieName(baseUrl(config).startsWith('https:'))}=${session.token}`;
  const signature = new Keygrip([required(config, 'SESSION_SECRET')], 'sha256').sign(cookie);
  client.cookie = `${cookie}; ${cookie.replace('=', '.sig=').replace(session.token, signature)}`;
  client.csrf = session.csrfToken;
  client.userId = user.id;
  client.email = email;
  client.password = password;
}
