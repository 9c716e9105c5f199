import { randomBytes } from 'node:crypto';
import { DemoClient } from './client.ts';
import { DemoFailure, RequestFailure } from './failures.ts';
import type { DemoSurroundings } from './surroundings.ts';

/** The person of this run; every run has a new one. */
export interface DemoPerson {
  client: DemoClient;
  email: string;
  password: string;
}

export const personName = { last: 'Әбдіқадырұлы', first: 'Ғалым', middle: 'Өмірбекұлы' } as const;

/** Registers somebody new. A program cannot read the captcha's picture; it gives the answer that the sandbox takes from programs. */
export async function registerPerson({ baseUrl, captchaAnswer }: DemoSurroundings): Promise<DemoPerson> {
  const client = new DemoClient(baseUrl);
  await client.renewSession();
  const captcha = await client.get('/captcha?purpose=register');
  const email = `ghalym-${randomBytes(4).toString('hex')}@example.kz`;
  const password = randomBytes(12).toString('base64url');
  await client.post('/auth/register', {
    email,
    password,
    name: `${personName.first} ${personName.last}`,
    captcha_id: captcha['captcha_id'],
    captcha_answer: captchaAnswer,
  });
  await client.renewSession();
  return { client, email, password };
}

/** @throws {DemoFailure} when the password is not the administrator's (any more) */
export async function signInAdministrator({ baseUrl, administrator }: DemoSurroundings): Promise<DemoClient> {
  const client = new DemoClient(baseUrl);
  await client.renewSession();
  try {
    await client.post('/auth/login', administrator);
  } catch (error) {
    if (!(error instanceof RequestFailure) || !error.message.includes('answered 401')) throw error;
    throw new DemoFailure(
      `the administrator ${administrator.email} cannot sign in; if its password was changed, set ADMIN_EMAIL and ADMIN_PASSWORD`,
    );
  }
  await client.renewSession();
  return client;
}
