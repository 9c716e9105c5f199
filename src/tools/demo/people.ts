import { randomBytes } from 'node:crypto';
import { DemoClient } from './client.ts';
import { DemoFailure, RequestFailure } from './failures.ts';
import type { DemoSurroundings } from './surroundings.ts';

/** The person of this run; each run has a new one. */
export interface DemoPerson {
  client: DemoClient;
  email: string;
  password: string;
}

/** A name as on an identity card. */
export interface PersonName {
  last: string;
  first: string;
  middle: string;
}

export const personName: PersonName = { last: 'Әбдіқадырұлы', first: 'Ғалым', middle: 'Өмірбекұлы' };

/** Registers a new person, with the sandbox's fixed captcha answer. */
export async function registerPerson({ baseUrl, answerCaptcha }: DemoSurroundings, name: PersonName = personName): Promise<DemoPerson> {
  const client = new DemoClient(baseUrl);
  await client.renewSession();
  const captcha = await client.get('/captcha?purpose=register');
  const email = `person-${randomBytes(4).toString('hex')}@example.kz`;
  const password = randomBytes(12).toString('base64url');
  await client.post('/auth/register', {
    email,
    password,
    name: `${name.first} ${name.last}`,
    captcha_id: captcha['captcha_id'],
    captcha_answer: await answerCaptcha(String(captcha['captcha_id'])),
  });
  await client.renewSession();
  return { client, email, password };
}

/** @throws {DemoFailure} when the administrator's password is wrong */
export async function signInAdministrator({ baseUrl, administrator }: DemoSurroundings): Promise<DemoClient> {
  const client = new DemoClient(baseUrl);
  await client.renewSession();
  try {
    await client.post('/auth/login', administrator);
  } catch (error) {
    if (!(error instanceof RequestFailure) || !error.message.includes('answered 401')) throw error;
    throw new DemoFailure(
      `the administrator ${administrator.email} cannot sign in; if the password was changed, set ADMIN_EMAIL and ADMIN_PASSWORD`,
    );
  }
  await client.renewSession();
  return client;
}
