import type { TestClient } from '../client.ts';
import type { TestApi } from '../test-api.ts';

/** Callers at chosen addresses, of an API behind one proxy (`TRUST_PROXY=loopback`). */
export function callersOf(api: TestApi) {
  let people = 0;
  const at = (address: string): TestClient => {
    const client = api.browser();
    client.from = address;
    return client;
  };
  const browserAt = async (address: string) => {
    const client = at(address);
    client.expect(200, await client.session());
    return client;
  };
  return {
    at,
    /** A browser with a session. */
    browserAt,
    /** A new person, signed in. */
    async personAt(address: string) {
      people += 1;
      const client = at(address);
      await client.register(`limited${people}@example.kz`, 'Limited');
      return client;
    },
    /** Tries to sign in with a new browser and returns the status. */
    logInAt: async (address: string, email: string, password: string): Promise<number> =>
      (await (await browserAt(address)).post('/auth/login', { email, password })).status,
  };
}
