import { verifyCredential } from '../../../../client/src/index.ts';
import type { Random } from '../../../support/random.ts';
import { compareVerdict, type Said, verdictOf } from '../../auditor/verification/gates.ts';
import type { Paper } from '../../auditor/verification/papers.ts';
import { fetchMaterial, type Material } from '../../auditor/verification/status-lists.ts';
import type { World } from '../../world.ts';
import { oneOf, type Step, weighted } from '../step.ts';

const mostGates = 3;

/** What the gates of a life have fetched, each at its own time. */
const gatesOf = new WeakMap<World, Material[]>();

/** Gates without a network: they fetch keys and status lists at times, and read papers whenever athletes come. */
export const gateSteps: readonly Step[] = [
  {
    name: 'a gate fetches the keys and status lists',
    weight: 2,
    async take(world, random) {
      const gates = gatesOf.get(world) ?? [];
      gatesOf.set(world, gates);
      world.auditor.inquiry.forget();
      const material = await fetchMaterial(world.auditor.inquiry);
      if (gates.length < mostGates) gates.push(material);
      else gates[random.between(0, mostGates - 1)] = material;
    },
  },
  {
    name: 'a gate without a network reads papers',
    weight: 4,
    async take(world, random) {
      const gate = oneOf(random, gatesOf.get(world) ?? []);
      if (!gate) return;
      for (const paper of random.shuffled([...world.auditor.model.papers.values()]).slice(0, 5))
        await readPaper(world, random, gate, paper);
    },
  },
];

/** Shows a paper to a gate, now and then one that was tampered with. @throws {Finding} */
async function readPaper(world: World, random: Random, gate: Material, paper: Paper): Promise<void> {
  const { model } = world.auditor;
  const at = world.now;
  const { text, says } = weighted<{ text: string; says: Partial<Said> | 'anything but valid' | null }>(random, [
    [{ text: paper.url, says: null }, 8],
    [{ text: `  ${paper.url}). `, says: null }, 1],
    [{ text: paper.credential, says: null }, 1],
    [{ text: changed(random, paper.url), says: 'anything but valid' }, 1],
    [{ text: paper.url.replace(model.origin, 'https://registry.example.org'), says: { verdict: 'not_valid', reason: 'forged' } }, 1],
    [{ text: paper.url.replace(/#.*/, ''), says: { verdict: 'cannot_tell', reason: 'no_credential' } }, 1],
  ]);
  const lists = [...gate.lists.values()];
  const said = await verifyCredential(text, {
    // The gate reads the key set as it was sent.
    jwks: gate.keySet as unknown as Parameters<typeof verifyCredential>[1]['jwks'],
    statusLists: Object.fromEntries(lists.map(({ uri, bytes }) => [uri, new Uint8Array(bytes)])),
    completeUntil: Object.fromEntries(lists.map(({ uri, completeUntil }) => [uri, completeUntil])),
    at,
  });
  const question = `a gate with the lists of ${gate.fetchedAt.toISOString()} reads ${text} of application ${paper.applicationId} at ${at.toISOString()} (GAT-1)`;
  if (says === 'anything but valid') {
    const { verdict } = said;
    compareVerdict(question, { verdict: verdict === 'valid' ? 'no valid one' : verdict, reason: said.reason, asOf: said.asOf }, said);
    return;
  }
  compareVerdict(question, says === null ? verdictOf(model, gate, paper, at) : { verdict: '', reason: null, asOf: null, ...says }, said);
}

/** One character of the credential is another one. */
function changed(random: Random, url: string): string {
  const at = random.between(url.indexOf('#') + 1, url.length - 1);
  return `${url.slice(0, at)}${url[at] === 'A' ? 'B' : 'A'}${url.slice(at + 1)}`;
}
