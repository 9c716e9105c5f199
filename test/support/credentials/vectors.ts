import type { KeySet, Verdict } from '../../../client/src/index.ts';
import { type CredentialFacts, credentialClaims, listClaims, signingKey, signList, signToken } from './issuer.ts';

/** `test/vectors/credentials.json`: what other implementations check themselves with. */
export interface Vectors {
  jwks: KeySet;
  /** Status list tokens in base64url, by address. */
  status_lists: Record<string, string>;
  cases: VectorCase[];
}

export interface VectorCase {
  name: string;
  text: string;
  at: string;
  verdict: Verdict['verdict'];
  reason: Verdict['reason'];
  /** Number of the certificate; null while its signature is not verified. */
  number: string | null;
  as_of: string | null;
}

export const issuer = 'https://registry.example.kz';
export const listUri = `${issuer}/status-lists/1`;
const otherListUri = `${issuer}/status-lists/2`;
export const vectorKey = signingKey('vectors');
export const facts: CredentialFacts = {
  issuer,
  number: 'NC-2026-000042',
  notBefore: seconds('2026-01-01T00:00:00+05:00'),
  expires: seconds('2026-12-31T23:59:59+05:00'),
  place: 1042,
  listUri,
};
const token = 'vJ0t6tYgkVt1m0lqkq0wPZ1q0gq1m7m7y6oJ3b4c5d6';

export function seconds(instant: string): number {
  return Date.parse(instant) / 1000;
}

export function linkTo(credential: string): string {
  return `${issuer}/v/${token}#${credential}`;
}

export function credentialOf(changes: Partial<CredentialFacts> = {}, key = vectorKey): string {
  return signToken(key, { claims: credentialClaims({ ...facts, ...changes }) }).toString('base64url');
}

/** Makes the vectors; the same ones each time. */
export function makeVectors(): Vectors {
  const lists = [
    { uri: listUri, issuedAt: seconds('2026-03-05T14:00:00+05:00'), statuses: { 7: 1, 1043: 2, 131_071: 1 } },
    { uri: otherListUri, issuedAt: seconds('2026-03-04T09:30:00+05:00'), statuses: {} },
  ];
  const now = '2026-03-05T14:04:00+05:00';
  const valid = credentialOf();
  const changed = Buffer.from(valid, 'base64url');
  changed.writeUInt8(changed.readUInt8(60) ^ 1, 60);
  const { number } = facts;
  const ok = { at: now, verdict: 'valid', reason: null, number, as_of: null } as const;
  const bad = (reason: Verdict['reason']) => ({ ...ok, verdict: 'not_valid', reason }) as const;
  const unsure = (reason: Verdict['reason']) => ({ ...ok, verdict: 'cannot_tell', reason }) as const;
  return {
    jwks: { keys: [vectorKey.publicKey] },
    status_lists: Object.fromEntries(lists.map((list) => [list.uri, signList(vectorKey, listClaims(list)).toString('base64url')])),
    cases: [
      { name: 'valid, as a link', text: linkTo(valid), ...ok },
      { name: 'valid, the credential alone', text: valid, ...ok },
      {
        name: 'valid as of the list, which is older than five minutes',
        text: linkTo(valid),
        ...ok,
        at: '2026-03-05T14:05:01+05:00',
        as_of: '14:00',
      },
      {
        name: 'valid as of the list of the day before',
        text: linkTo(valid),
        ...ok,
        at: '2026-03-06T08:00:00+05:00',
        as_of: '2026-03-05 14:00',
      },
      { name: 'its first second', text: linkTo(credentialOf({ notBefore: seconds(now) })), ...ok },
      { name: 'one second before its first', text: linkTo(credentialOf({ notBefore: seconds(now) + 1 })), ...bad('not_yet') },
      { name: 'its last second', text: linkTo(credentialOf({ expires: seconds(now) })), ...ok },
      { name: 'expired, one second after its last', text: linkTo(credentialOf({ expires: seconds(now) - 1 })), ...bad('expired') },
      { name: 'annulled or closed', text: linkTo(credentialOf({ place: 7 })), ...bad('invalid') },
      { name: 'annulled, the last place of the list', text: linkTo(credentialOf({ place: 131_071 })), ...bad('invalid') },
      { name: 'suspended', text: linkTo(credentialOf({ place: 1043 })), ...bad('suspended') },
      { name: 'forged: one bit changed', text: linkTo(changed.toString('base64url')), ...bad('forged'), number: null },
      {
        name: 'forged: signed by another key under the same key id',
        text: linkTo(credentialOf({}, { ...signingKey('forger'), publicKey: vectorKey.publicKey })),
        ...bad('forged'),
        number: null,
      },
      {
        name: 'the link of another host',
        text: linkTo(valid).replace(issuer, 'https://registry.example.com'),
        ...bad('forged'),
        number: null,
      },
      { name: 'unknown key', text: linkTo(credentialOf({}, signingKey('unknown'))), ...unsure('unknown_key'), number: null },
      {
        name: 'the list has run out',
        text: linkTo(valid),
        ...unsure('list_expired'),
        at: '2026-03-06T14:00:00+05:00',
        as_of: '2026-03-05 14:00',
      },
      { name: 'the list is missing', text: linkTo(credentialOf({ listUri: `${issuer}/status-lists/3` })), ...unsure('list_missing') },
      { name: 'a link without a credential', text: linkTo('').slice(0, -1), ...unsure('no_credential'), number: null },
    ],
  };
}
