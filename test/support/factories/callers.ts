import { rememberAddress } from '../../../src/areas/accounts/attempt-limits.ts';
import type { TestClient } from '../client.ts';
import type { TestApi } from '../test-api.ts';

/** Callers at chosen addresses, of an API behind one proxy (`TRUST_PROXY=loopback`). */
export function callersOf(api: TestApi) {
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
    /** A new person, signed in at this address. */
    async personAt(address: string) {
      const client = await api.user('Limited');
      client.from = address;
      await rememberAddress(api.platform, client.email, address);
      return client;
    },
    /** Tries to sign in with a new browser and returns the status. */
    logInAt: async (address: string, email: string, password: string): Promise<number> =>
      (await (await browserAt(address)).post('/auth/login', { email, password })).status,
  };
}
