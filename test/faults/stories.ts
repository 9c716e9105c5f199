import type { Client } from '@temporalio/client';
import type { Platform } from '../../src/platform/platform.ts';
import type { Stage } from '../replay/scenarios.ts';
import type { TestClient } from '../support/client.ts';
import { fixturesByRequests } from '../support/factories.ts';

/** A story that moves the clock, hides files or drives a workflow by hand stops there: the registry has other people. */
export class NeedsOwnRegistry extends Error {}

/** The stage of stories that are lived beside others. */
export function sharedStage(
  given: Pick<Stage, 'bankUrl' | 'administrator'> & { platform: Platform; user: (name?: string) => Promise<TestClient> },
): Stage {
  const { bankUrl, administrator, platform, user } = given;
  const refuse = () => Promise.reject(new NeedsOwnRegistry());
  return {
    bankUrl,
    administrator,
    platform,
    engine: new Proxy({} as Client, {
      get: () => {
        throw new NeedsOwnRegistry();
      },
    }),
    make: fixturesByRequests({ user, administrator: async () => administrator, surroundings: { bank: { url: bankUrl } } }),
    hideFile: refuse,
    travelTo: refuse,
    today: async () => new Date(Date.now() + 5 * 3_600_000).toISOString().slice(0, 10),
  };
}
