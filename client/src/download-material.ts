import type { Bytes } from './bytes.ts';
import type { KeySet } from './cose.ts';
import type { VerificationMaterial } from './verify-credential.ts';

/**
 * Downloads what `verifyCredential` needs without a network: the key set, and each status list with the instant up to which it is complete.
 * @param registry origin of the registry, such as `https://registry.example.kz`
 * @throws {TypeError} without a network
 * @throws {Error} when an address does not answer 200
 */
export async function downloadMaterial(registry: string): Promise<Omit<VerificationMaterial, 'at'>> {
  const jwks = (await (await get(`${registry}/.well-known/jwks.json`)).json()) as KeySet;
  const { status_lists: addresses } = (await (await get(`${registry}/status-lists`)).json()) as { status_lists: string[] };
  const statusLists: Record<string, Bytes> = {};
  const completeUntil: Record<string, Date> = {};
  for (const address of addresses) {
    const answer = await get(address);
    statusLists[address] = new Uint8Array(await answer.arrayBuffer());
    const until = new Date(answer.headers.get('Status-List-Complete-Until') ?? Number.NaN);
    if (!Number.isNaN(until.getTime())) completeUntil[address] = until;
  }
  return { jwks, statusLists, completeUntil };
}

async function get(address: string): Promise<Response> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`GET ${address} answered ${answer.status}`);
  return answer;
}
