import { downloadMaterial, type Verdict, type VerificationMaterial, verifyCredential } from '../../../client/src/index.ts';
import { type DemoClient, DemoFailure } from './client.ts';
import type { Narrator } from './narrator.ts';
import { readClock } from './sandbox.ts';

/** Within it a change of a certificate is in its status list, milliseconds. */
const listsWithinMs = 60_000;
const pauseMs = 1_000;

/**
 * Checks the QR of a certificate as a gate does: keys and lists are downloaded before, and nothing is asked during the check.
 * @throws {DemoFailure} when the gate does not say that it is valid
 */
export async function showGate(person: DemoClient, applicationId: number, narrator: Narrator): Promise<void> {
  narrator.begin('A gate downloads the keys and the status lists of the registry');
  const { data } = await person.GET('/applications/{id}/credential', { params: { path: { id: applicationId } } });
  if (typeof data === 'string') throw new DemoFailure('the credential is no JSON');
  const text = data.url;
  let material = await downloadMaterial(person.baseUrl);
  for (let waited = 0; ; waited += pauseMs) {
    const { verdict, reason } = await check(person, text, material);
    if (verdict === 'valid') break;
    if (waited >= listsWithinMs) throw new DemoFailure(`the gate says ${verdict}, ${reason}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    material = await downloadMaterial(person.baseUrl);
  }
  for (const [uri, list] of Object.entries(material.statusLists)) narrator.fact(`${uri}, ${list.length} bytes`);

  narrator.begin('... and checks the QR with the network cut');
  const at = await clockOf(person);
  const { fetch } = globalThis;
  globalThis.fetch = () => Promise.reject(new TypeError('the network is cut'));
  try {
    const valid = await verifyCredential(text, { ...material, at });
    narrator.fact(`${valid.verdict}: ${valid.credential?.number}, ${valid.credential?.kind}, category ${valid.credential?.category}`);
    const forged = await verifyCredential(forge(text), { ...material, at });
    narrator.fact(`the same QR with one bit changed: ${forged.verdict}, ${forged.reason}`);
    if (valid.verdict !== 'valid' || forged.reason !== 'forged')
      throw new DemoFailure(`the gate says ${valid.verdict} and ${forged.verdict}`);
  } finally {
    globalThis.fetch = fetch;
  }
  narrator.open('the gate for a telephone; after one visit it needs no network', `${person.baseUrl}/gate`);
  narrator.fact('It reads the QR of the PDF by the camera, or this text. It uses the clock of the device, not the sandbox clock.');
  narrator.fact(text);
}

async function check(person: DemoClient, text: string, material: Omit<VerificationMaterial, 'at'>): Promise<Verdict> {
  return verifyCredential(text, { ...material, at: await clockOf(person) });
}

/** The clock of the certificates: the sandbox's where there is one. */
export async function clockOf(person: DemoClient): Promise<Date> {
  return (await readClock(person.baseUrl))?.now ?? new Date();
}

/** Changes one bit in the middle of a credential. */
function forge(text: string): string {
  const [link = '', credential = ''] = text.split('#');
  const bytes = Buffer.from(credential, 'base64url');
  const middle = Math.floor(bytes.length / 2);
  bytes.writeUInt8(bytes.readUInt8(middle) ^ 1, middle);
  return `${link}#${bytes.toString('base64url')}`;
}
