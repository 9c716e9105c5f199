import { generateKeyPairSync } from 'node:crypto';
import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { makeCredential } from '../../src/areas/credentials/credential.ts';
import type { Signer } from '../../src/areas/credentials/signed-token.ts';
import { listedStatus, makeEdition, placesOfList, StatusBits, statusListUri } from '../../src/areas/credentials/status-list.ts';
import { reportReady } from '../../src/platform/runtime/exit-with-parent.ts';
import { createRandom } from '../support/random.ts';

/** The page `/gate` in Node. */
export interface GatePage {
  /** Milliseconds between two refreshes. */
  refreshMs: number;
  /** Runs a refresh of keys and lists until the page has written its result. */
  refresh(): Promise<void>;
  /** Checks a text as if it was pasted, and closes the verdict. @returns its class, or `page` where the gate opened the registry's page */
  check(text: string): Promise<string>;
}

/** What the page needs of an element. */
class StubElement extends EventTarget {
  textContent: string | null = '';
  className = '';
  value = '';
  hidden = false;
  open = false;
  files = [];
  dataset: Record<string, string> = {};
  replaceChildren(): void {}
  focus(): void {}
  showModal(): void {
    this.open = true;
  }
  close(): void {
    this.open = false;
    this.dispatchEvent(new Event('close'));
  }
}

class StubAudio {
  readonly state = 'suspended';
  async resume(): Promise<void> {}
}

let opened = 0;

/** Opens the page's own script on a device without stored keys and lists. @param request answers the page's requests */
async function openGatePage(origin: string, request: (path: string) => Response): Promise<GatePage> {
  const elements = new Map<string, StubElement>();
  const byId = (id: string): StubElement => {
    const element = elements.get(id) ?? new StubElement();
    elements.set(id, element);
    return element;
  };
  const [kept, cached] = [new Map<string, string>(), new Map<string, Response>()];
  const registryPage = { isOpen: false };
  const interval = { run: (): unknown => undefined, ms: 0 };
  const globals = {
    document: Object.assign(new EventTarget(), {
      documentElement: {},
      visibilityState: 'visible',
      getElementById: byId,
      querySelectorAll: () => [],
      createElement: () => new StubElement(),
    }),
    window: new EventTarget(),
    isSecureContext: true,
    location: { origin, search: '', assign: () => (registryPage.isOpen = true) },
    navigator: { languages: ['en'], serviceWorker: { controller: null, addEventListener() {}, async register() {} } },
    localStorage: { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => kept.set(key, value) },
    caches: {
      open: async () => ({
        match: async (path: string) => cached.get(path)?.clone(),
        put: async (path: string, response: Response) => void cached.set(path, response),
      }),
    },
    AudioContext: StubAudio,
    fetch: async (path: string) => request(path),
    setInterval: (run: () => unknown, ms: number) => Object.assign(interval, { run, ms }),
  };
  for (const [name, value] of Object.entries(globals)) Object.defineProperty(globalThis, name, { value, configurable: true });
  // Another query makes Node run the script again, for the next device.
  await import(`${new URL('../../web/gate/main.ts', import.meta.url).href}?device=${(opened += 1)}`);
  const [age, dialog] = [byId('age'), byId('verdict')];
  return {
    refreshMs: interval.ms,
    async refresh() {
      age.textContent = null;
      interval.run();
      while (age.textContent === null) await setImmediate();
    },
    async check(text) {
      registryPage.isOpen = false;
      byId('text').value = text;
      byId('pasted').dispatchEvent(new Event('submit', { cancelable: true }));
      while (!dialog.open && !registryPage.isOpen) await setImmediate();
      if (!dialog.open) return 'page';
      dialog.close();
      return dialog.className;
    },
  };
}

/** What the gates of a day asked of the API. */
export interface GateDay {
  checks: number;
  /** Checks that made a request. */
  asked: number;
  /** Requests for keys and lists. */
  refreshes: number;
  verdicts: Record<string, number>;
}

const hourMs = 3_600_000;
const day = { gates: 10, checksOfGate: 10_000, ms: 10 * hourMs };
/** A new key is published and signs, a second list opens, the gates lose their network for an hour. */
const events = { keyPublished: hourMs, keySigns: 2 * hourMs, listOpens: 4 * hourMs, networkEnds: 6 * hourMs, networkReturns: 7 * hourMs };
/** Of all checks: certificates of the second list, and codes that are none of the registry. Of the first list: suspended places. */
const shares = { newest: 0.05, foreign: 0.01, suspended: 0.01 };
const startsAt = Date.parse('2026-06-06T09:00:00+05:00');
const origin = 'https://registry.example.kz';
const random = createRandom(1);

const signerOf = (kid: string): Signer & { jwk: object } => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return { kid, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid } };
};
const [oldKey, newKey] = [signerOf('old'), signerOf('new')];

const certificatesOf = (signer: Signer, listId: number, count: number) =>
  Array.from({ length: count }, (_, nth) => {
    const place = random.between(0, placesOfList - 1);
    const facts = { kind: 'national_certificate', number: `KZ-N-2026-${nth}`, category: 'B', discipline: 'rally' } as const;
    const dates = { validFrom: '2026-01-01', validUntil: '2026-12-31' };
    return `${origin}/v/token-${nth}#${makeCredential(signer, origin, { ...facts, ...dates, listId, place }, new Date(startsAt))}`;
  });

/** An edition of each hour. */
const editionsOf = (listId: number) =>
  Array.from({ length: day.ms / hourMs + 1 }, (_, hour) => {
    const bits = new StatusBits();
    const taken = listId === 1 ? placesOfList : 0;
    for (let place = 0; place < taken; place += 1) if (random.next() < shares.suspended) bits.set(place, listedStatus.suspended);
    const signer = hour * hourMs < events.keySigns ? oldKey : newKey;
    return makeEdition(signer, statusListUri(origin, listId), bits.compress(), startsAt / 1000 + hour * 3600).cwt;
  });

process.once('disconnect', () => process.exit(0));
process.once('SIGTERM', () => process.exit(0));
reportReady();
process.send?.(await runDay());

async function runDay(): Promise<GateDay> {
  const report: GateDay = { checks: 0, asked: 0, refreshes: 0, verdicts: {} };
  const [older, newlyIssued] = [certificatesOf(oldKey, 1, 2_000), certificatesOf(newKey, 2, 200)];
  const editions = new Map([1, 2].map((id) => [`/status-lists/${id}`, editionsOf(id)]));
  const elapsed = () => Date.now() - startsAt;
  let requests = 0;
  const answer = (path: string) => {
    if (elapsed() >= events.networkEnds && elapsed() < events.networkReturns) throw new TypeError('no network');
    requests += 1;
    const ids = elapsed() < events.listOpens ? [1] : [1, 2];
    const headers = { date: new Date().toUTCString() };
    if (path === '/status-lists') return Response.json({ status_lists: ids.map((id) => statusListUri(origin, id)) }, { headers });
    const keys = elapsed() < events.keyPublished ? [oldKey] : [newKey, oldKey];
    if (path === '/.well-known/jwks.json') return Response.json({ keys: keys.map(({ jwk }) => jwk) });
    const edition = editions.get(path)?.[Math.floor(elapsed() / hourMs)];
    return new Response(edition && new Uint8Array(edition));
  };
  const countRequests = async <T>(work: () => Promise<T>): Promise<[T, number]> => {
    const before = requests;
    return [await work(), requests - before];
  };
  mock.timers.enable({ apis: ['Date'] });
  for (let gate = 0; gate < day.gates; gate += 1) {
    // Every gate opens at another second.
    let refreshAt = startsAt + gate * 2_900;
    mock.timers.setTime(refreshAt);
    const [page, atOpening] = await countRequests(() => openGatePage(origin, answer));
    report.refreshes += atOpening;
    refreshAt += page.refreshMs;
    for (let nth = 1; nth <= day.checksOfGate; nth += 1) {
      const checkAt = startsAt + (nth * day.ms) / (day.checksOfGate + 1);
      for (; refreshAt <= checkAt; refreshAt += page.refreshMs) {
        mock.timers.setTime(refreshAt);
        const [, ofRefresh] = await countRequests(() => page.refresh());
        report.refreshes += ofRefresh;
      }
      mock.timers.setTime(Math.max(Date.now(), Math.round(checkAt)));
      const [verdict, ofCheck] = await countRequests(() =>
        page.check(chooseText(elapsed() < events.listOpens ? older : newlyIssued, older)),
      );
      report.checks += 1;
      report.asked += Number(ofCheck > 0);
      report.verdicts[verdict] = (report.verdicts[verdict] ?? 0) + 1;
    }
  }
  return report;
}

/** A shop's QR, a certificate of the newest list, or one of the older ones. */
function chooseText(newest: readonly string[], older: readonly string[]): string {
  const draw = random.next();
  if (draw < shares.foreign) return 'https://shop.example.com/42';
  const texts = draw > 1 - shares.newest ? newest : older;
  return texts[random.between(0, texts.length - 1)] ?? '';
}
