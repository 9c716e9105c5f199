import { inflateSync } from 'node:zlib';
import type { Area } from '../area.ts';
import type { Exchange } from '../exchange.ts';
import { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { type Paper, parsed, unreadCertificates } from './papers.ts';
import { type Keys, readKeys, readSigned } from './signed.ts';
import { type Listed, noteStatuses } from './listed.ts';

/** A status list, as it was fetched. */
export interface FetchedList {
  uri: string;
  bytes: Buffer;
  issuedAt: Date;
  expiresAt: Date;
  /** Up to when it has every change. */
  completeUntil: Date;
  valueAt(place: number): Listed;
}

/** What a gate takes along: the keys, and every status list. */
export interface Material {
  /** The key set as it was sent. */
  keySet: { keys: Record<string, string>[] };
  lists: Map<string, FetchedList>;
  fetchedAt: Date;
}

const places = 131_072;
const [subject, ends, issued, lifetime, content] = [2, 4, 6, 65_534, 65_533];
const typeHeader = 16;
const editionSeconds = 86_400;
/** A change is in the list within this time (VER-12). */
const mostDelayMs = 60_000;

/** Before each request everything stands as it was left. */
export const statusClock: Area = {
  judge(model, _asked, now) {
    noteStatuses(model, now);
    return null;
  },
};

/** Status lists, by VER-11 and VER-12. It sees a request after the areas have taken it over. */
export const statusListsArea: Area = {
  saw(model, { at }) {
    noteStatuses(model, at);
    return [];
  },

  async ask(inquiry, touched) {
    noteStatuses(inquiry.model, inquiry.now);
    const isTouched = touched.some(({ kind }) => kind === 'application' || kind === 'document' || kind === 'profile');
    if (isTouched && inquiry.model.papers.size > 0) await fetchMaterial(inquiry);
  },

  async askAll(inquiry) {
    const until = Date.now() + mostDelayMs;
    for (;;) {
      inquiry.forget();
      const material = await fetchMaterial(inquiry);
      const late = [...inquiry.model.papers.values()].find((paper) => !isPresent(inquiry, material, paper));
      const isComplete = [...material.lists.values()].every(({ completeUntil }) => inquiry.now.getTime() - completeUntil.getTime() < 2000);
      if (late === undefined && isComplete) return askSecondForm(inquiry, material);
      if (Date.now() > until)
        throw new Finding('a change is in the status list within 60 seconds (VER-12)', 'every change', `not of ${late?.applicationId}`);
      await inquiry.pause();
    }
  },
};

/** Fetches the keys and every list as a gate does, and checks them against the model. @throws {Finding} */
export async function fetchMaterial(inquiry: Inquiry): Promise<Material> {
  const { model, publicly, eventually, same } = inquiry;
  let material: Material | null = null;
  await eventually(async () => {
    const fetchedAt = inquiry.now;
    const keySet = parsed<Material['keySet']>((await publicly('GET /.well-known/jwks.json')).bytes);
    const keys = readKeys(keySet);
    const all = await publicly('GET /status-lists');
    const { status_lists: uris } = parsed<{ status_lists: string[] }>(all.bytes);
    const isTold = Math.abs(Date.parse(all.headers.get('sandbox-now') ?? '') - all.at.getTime()) < 60_000;
    same('a gate is told that the clock was moved, and the time (SBX-1)', true, isTold);
    const lists = new Map<string, FetchedList>();
    for (const uri of uris) {
      const answer = await publicly(`GET ${uri.slice(model.origin.length)}`, { headers: { accept: 'application/statuslist+cwt' } });
      same(`the status list ${uri} is answered (VER-12)`, 200, answer.status);
      const list = openList(uri, answer, keys);
      checkList(inquiry, list, fetchedAt);
      lists.set(uri, list);
    }
    material = { keySet, lists, fetchedAt };
  });
  if (material === null) throw new Error('a gate fetches something, or a finding is thrown');
  return material;
}

function openList(uri: string, { bytes, headers, at }: Exchange, keys: Keys): FetchedList {
  const { headers: signedHeaders, claims } = readSigned(bytes, keys, `the status list ${uri}`);
  const list: unknown = claims.get(content);
  const packed: unknown = list instanceof Map ? list.get('lst') : null;
  const width: unknown = list instanceof Map ? list.get('bits') : null;
  const [from, until] = [Number(claims.get(issued)), Number(claims.get(ends))];
  const said = [claims.get(subject), signedHeaders.get(typeHeader), until - from, claims.get(lifetime), width];
  const expected = [uri, 'application/statuslist+cwt', editionSeconds, 300, 2];
  if (JSON.stringify(said) !== JSON.stringify(expected)) throw new Finding(`the status list ${uri} says what it is`, expected, said);
  const values = inflateSync(packed instanceof Uint8Array ? packed : Buffer.alloc(0));
  if (values.length !== places / 4) throw new Finding(`the status list ${uri} has its places (VER-11)`, places / 4, values.length);
  if (at.getTime() >= until * 1000) throw new Finding(`the status list ${uri} has not run out (VER-12)`, at, new Date(until * 1000));
  const completeUntil = new Date(headers.get('status-list-complete-until') ?? Number.NaN);
  if (!(completeUntil.getTime() <= at.getTime() + 2000)) throw new Finding(`the status list ${uri} says up to when`, at, completeUntil);
  return {
    uri,
    bytes,
    issuedAt: new Date(from * 1000),
    expiresAt: new Date(until * 1000),
    completeUntil,
    valueAt: (place) => (((values[place >> 2] ?? 0) >> ((place % 4) * 2)) & 3) as Listed,
  };
}

/** Each certificate has a value that it had since the list was complete; no other place has one (VER-11, VER-12). */
function checkList(inquiry: Inquiry, list: FetchedList, fetchedAt: Date): void {
  const { model, now } = inquiry;
  // A process may have moved on since the last question.
  noteStatuses(model, now);
  const papers = [...model.papers.values()].filter((paper) => paper.list === list.uri);
  for (const paper of papers) {
    if (!isJudged(inquiry, paper)) continue;
    const { applicationId: id, place } = paper;
    const value = list.valueAt(place);
    const possible = model.statuses.between(id, list.completeUntil.getTime(), now.getTime());
    const question = `the status list says of application ${id} what held since ${list.completeUntil.toISOString()} (VER-12)`;
    if (!possible.has(value)) throw new Finding(question, [...possible], value);
    const present = model.statuses.present(id);
    const since = Math.max(present.notedAt, inquiry.disturbedAt);
    if (present.value !== value && Date.now() - since > mostDelayMs)
      throw new Finding(`a change of application ${id} is in the status list within 60 seconds (VER-12)`, present.value, value);
  }
  const used = new Set(papers.map(({ place }) => place));
  let strangers = 0;
  for (let place = 0; place < places; place += 1) if (list.valueAt(place) !== 0 && !used.has(place)) strangers += 1;
  const most = unreadCertificates(model);
  if (strangers > most)
    throw new Finding(`a place without a certificate of ${list.uri} looks valid (VER-11), ${fetchedAt.toISOString()}`, most, strangers);
}

/** After its last day a certificate closes at some time, and the dates alone decide (GAT-4). */
function isJudged({ model, today }: Inquiry, { applicationId }: Paper): boolean {
  const certificate = model.applications.get(applicationId)?.certificate;
  return certificate ? today <= certificate.validUntil : false;
}

function isPresent(inquiry: Inquiry, { lists }: Material, paper: Paper): boolean {
  if (!isJudged(inquiry, paper)) return true;
  return lists.get(paper.list)?.valueAt(paper.place) === inquiry.model.statuses.present(paper.applicationId).value;
}

/** The other form of a list, a JWT, has the same values. */
async function askSecondForm({ model, publicly, same }: Inquiry, { lists }: Material): Promise<void> {
  for (const { uri, valueAt } of lists.values()) {
    const answer = await publicly(`GET ${uri.slice(model.origin.length)}`, { headers: { accept: 'application/statuslist+jwt' } });
    const claims = JSON.parse(Buffer.from(answer.bytes.toString().split('.')[1] ?? '', 'base64url').toString());
    const values = inflateSync(Buffer.from(claims.status_list.lst, 'base64url'));
    for (const { list, place, applicationId } of model.papers.values())
      if (list === uri)
        same(
          `both forms of ${uri} say the same of application ${applicationId}`,
          valueAt(place),
          ((values[place >> 2] ?? 0) >> ((place % 4) * 2)) & 3,
        );
  }
}
