import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { makeRelease } from '../../../src/areas/verification/gate/release.ts';
import { readWebBuild } from '../../../src/http/response/web-build.ts';
import { type Brand, defaultBrand } from '../../../src/platform/brand/brand.ts';
import { buildWeb } from '../../../src/tools/web/build.ts';
import { credentialClaims, listClaims, signingKey, signList, signToken } from '../credentials/issuer.ts';

/** What the browser tests need of a registry: the page with its files, keys, one status list, and credentials. */
export interface GateServer {
  url: string;
  /** The text of a QR. @param place in the status list: 1 is annulled, 2 is suspended */
  linkTo(number: string, place: number): string;
  /** Seconds by which the next status lists are older than now. */
  listAge: number;
  /** Seconds since the oldest change that waits for the next edition; null: none waits. */
  changeWaits: number | null;
  /** Whether the browser is to have the current list already: a request that names its tag is answered 304. */
  isUnchanged: boolean;
  /** Of the release that the server sends: another brand is another release. */
  brand: Brand;
  /** Of another process, which answers with the page while a release is rolled out. */
  pageBrand: Brand | null;
  /** Cuts the network: nothing listens at the address. */
  cut(): Promise<void>;
  restore(): Promise<void>;
  /** Paths that were requested (with ` 304` where nothing was sent again), and the bytes that were sent. */
  requests: string[];
  sentBytes: number;
}

const key = signingKey('gate');
const token = 'vJ0t6tYgkVt1m0lqkq0wPZ1q0gq1m7m7y6oJ3b4c5d6';

export async function startGateServer(): Promise<GateServer> {
  let server: Server | null = null;
  await buildWeb();
  const built = readWebBuild('gate');
  const port = await listen(0);
  const url = `http://localhost:${port}`;
  const listUri = `${url}/status-lists/1`;
  const gate: GateServer = {
    url,
    linkTo: (number, place) => {
      const now = Math.floor(Date.now() / 1000);
      const claims = credentialClaims({ issuer: url, number, place, listUri, notBefore: now - 86_400, expires: now + 86_400 });
      return `${url}/v/${token}#${signToken(key, { claims }).toString('base64url')}`;
    },
    listAge: 60,
    changeWaits: null,
    isUnchanged: false,
    brand: defaultBrand,
    pageBrand: null,
    async cut() {
      server?.closeAllConnections();
      server?.close();
      server = null;
    },
    async restore() {
      await listen(port);
    },
    requests: [],
    sentBytes: 0,
  };
  return gate;

  async function listen(wanted: number): Promise<number> {
    server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://localhost');
      const found = answer(pathname);
      const { ETag: tag } = found.headers;
      if (gate.isUnchanged && tag !== undefined && request.headers['if-none-match'] === tag) {
        gate.requests.push(`${pathname} 304`);
        response.writeHead(304, found.headers).end();
        return;
      }
      gate.requests.push(pathname);
      const content = gzipSync(found.content);
      gate.sentBytes += content.length;
      response.writeHead(found.status ?? 200, { ...found.headers, 'Content-Encoding': 'gzip' }).end(content);
    });
    server.listen(wanted, 'localhost');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  function answer(path: string): { status?: number; headers: Record<string, string>; content: Buffer | string } {
    const json = { 'Content-Type': 'application/json' };
    if (path === '/.well-known/jwks.json') return { headers: json, content: JSON.stringify({ keys: [key.publicKey] }) };
    if (path === '/status-lists') return { headers: json, content: JSON.stringify({ status_lists: [listUri] }) };
    if (path === '/status-lists/1') {
      const issuedAt = Math.floor(Date.now() / 1000) - gate.listAge;
      const list = signList(key, listClaims({ uri: listUri, issuedAt, statuses: { 1: 1, 2: 2 } }));
      const until = new Date(Date.now() - (gate.changeWaits ?? 0) * 1000).toISOString();
      const headers = { 'Content-Type': 'application/statuslist+cwt', ETag: '"edition-1"', 'Status-List-Complete-Until': until };
      return { headers, content: list };
    }
    if (path.startsWith('/v/')) return { headers: { 'Content-Type': 'text/html' }, content: '<title>The page of the registry</title>' };
    return (
      makeRelease(built, (path === '/gate' ? gate.pageBrand : null) ?? gate.brand).get(path) ?? { status: 404, headers: {}, content: '' }
    );
  }
}
