import { decode, encode, Tag } from 'cbor2';
import { verifyCredential } from '../../client/src/index.ts';
import { listClaims, signList } from '../support/credentials/issuer.ts';
import { credentialOf, listUri, seconds, vectorKey } from '../support/credentials/vectors.ts';
import { createRandom, type Random } from '../support/random.ts';

const mutations = 100_000;
const batch = 500;
const valid = credentialOf();
const bytes = new Uint8Array(Buffer.from(valid, 'base64url'));
const list = signList(vectorKey, listClaims({ uri: listUri, issuedAt: seconds('2026-03-05T14:00:00+05:00'), statuses: {} }));
const material = {
  jwks: { keys: [vectorKey.publicKey] },
  statusLists: { [listUri]: new Uint8Array(list) },
  at: new Date('2026-03-05T14:04:00+05:00'),
};

const parts = decode<Tag>(bytes).contents as unknown[];
/** The maps inside: protected headers and claims. */
const maps = [0, 2].map((at) => ({ at, entries: [...(decode(parts[at] as Uint8Array, { preferMap: true }) as Map<unknown, unknown>)] }));
const plain = { cde: true, ignoreOriginalEncoding: true };

/** Changes of the text, of the bytes and of the CBOR structure. Each returns a text. */
const mutators: [(random: Random) => string, ...((random: Random) => string)[]] = [
  (random) => spliceText(random, random.between(0, 3), randomText(random, random.between(0, 3))),
  (random) => valid.slice(0, random.between(0, valid.length - 1)),
  (random) => valid.slice(random.between(1, valid.length)),
  (random) => flipBits(random, 1),
  (random) => flipBits(random, random.between(2, 16)),
  (random) => spliceBytes(random, random.between(0, 4), randomBytes(random, random.between(0, 4))),
  (random) => toText(bytes.subarray(0, random.between(0, bytes.length - 1))),
  // A part of the bytes twice.
  (random) => {
    const from = random.between(0, bytes.length - 2);
    return toText(Buffer.concat([bytes.subarray(0, from + random.between(1, 40)), bytes.subarray(from)]));
  },
  // A changed head: another type, an indefinite or a huge length.
  (random) => {
    const changed = Uint8Array.from(bytes);
    changed[random.between(0, 8)] = (random.between(0, 7) << 5) | random.pick([24, 25, 26, 27, 31]);
    return toText(changed);
  },
  (random) => fromParts(random.shuffled(parts)),
  (random) => fromParts(parts.toSpliced(random.between(0, 3), 1, randomItem(random, 0))),
  (random) => fromParts(parts.toSpliced(random.between(0, 3), random.between(0, 1), randomItem(random, 0))),
  (random) => fromParts(parts, random.pick([16, 17, 61, 96, 98, 55_799])),
  (random) => fromParts(parts.with(1, new Map([[random.between(-10, 40), randomItem(random, 0)]]))),
  (random) => fromParts(changeMap(random)),
  (random) => toText(Buffer.concat([bytes, randomBytes(random, random.between(1, 8))])),
  (random) => toText(Buffer.concat([Uint8Array.from({ length: random.between(1, 5000) }, () => 0x81), bytes])),
  (random) => toText(Buffer.concat([Uint8Array.of(0xd2), randomBytes(random, random.between(0, 400))])),
];

test(`of ${mutations} mutations of a valid credential none is valid, and none throws (GAT-1, GAT-2)`, async () => {
  expect(await verifyCredential(valid, material)).toMatchObject({ verdict: 'valid' });
  const random = createRandom(20_260_305);
  const found = new Map<string, number>();
  for (let done = 0; done < mutations; done += batch) {
    const texts = Array.from({ length: batch }, () => random.pick(mutators)(random)).filter((text) => text !== valid);
    const verdicts = await Promise.all(
      texts.map(async (text) => {
        const { verdict, reason } = await verifyCredential(text, material);
        return { text, result: `${verdict} ${reason}` };
      }),
    );
    for (const { text, result } of verdicts) {
      if (result.startsWith('valid')) throw new Error(`accepted: ${text}`);
      found.set(result, (found.get(result) ?? 0) + 1);
    }
  }
  // The mutations reach each kind of refusal.
  expect([...found.keys()].toSorted()).toEqual(['cannot_tell no_credential', 'cannot_tell unknown_key', 'not_valid forged']);
});

function toText(changed: Uint8Array): string {
  return Buffer.from(changed).toString('base64url');
}

function fromParts(changed: readonly unknown[], tag = 18): string {
  return toText(encode(new Tag(tag, [...changed]), plain));
}

function flipBits(random: Random, count: number): string {
  const changed = Uint8Array.from(bytes);
  for (let done = 0; done < count; done += 1) {
    const at = random.between(0, changed.length - 1);
    changed[at] = (changed[at] ?? 0) ^ (1 << random.between(0, 7));
  }
  return toText(changed);
}

function spliceBytes(random: Random, removed: number, added: Uint8Array): string {
  const at = random.between(0, bytes.length);
  return toText(Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at + removed)]));
}

function spliceText(random: Random, removed: number, added: string): string {
  const at = random.between(0, valid.length - 1);
  return valid.slice(0, at) + added + valid.slice(at + removed);
}

/** Removes, replaces or adds an entry of the headers or the claims. */
function changeMap(random: Random): unknown[] {
  const { at, entries } = maps[random.between(0, 1)] ?? { at: 0, entries: [] };
  const place = random.between(0, entries.length - 1);
  const changed = random.pick<() => [unknown, unknown][]>([
    () => entries.toSpliced(place, 1),
    () => entries.with(place, [entries[place]?.[0], randomItem(random, 0)]),
    () => [...entries, [random.between(-100, 100), randomItem(random, 0)]],
  ])();
  return parts.with(at, encode(new Map(changed), plain));
}

function randomItem(random: Random, depth: number): unknown {
  return random.pick<() => unknown>([
    () => null,
    () => true,
    () => 1.5,
    () => random.between(-1_000_000_000, 2_000_000_000),
    () => 2n ** 70n,
    () => randomText(random, random.between(0, 30)),
    () => randomBytes(random, random.between(0, 70)),
    () => (depth > 8 ? [] : Array.from({ length: random.between(0, 3) }, () => randomItem(random, depth + 1))),
    () => (depth > 8 ? 0 : new Map([[random.between(0, 9), randomItem(random, depth + 1)]])),
  ])();
}

function randomBytes(random: Random, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => random.between(0, 255));
}

function randomText(random: Random, length: number): string {
  return Array.from({ length }, () => random.pick(['A', 'z', '0', '_', '-', '=', '%', '#', ' ', 'é', '\u0000'])).join('');
}
