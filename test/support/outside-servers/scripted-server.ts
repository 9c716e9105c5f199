import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request as the server received it. */
export interface Received {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
  at: number;
}

export type Script = (response: ServerResponse, request: Received) => unknown;

/** A server that answers each request by the next script, and further ones by the last. */
export async function startScriptedServer(...scripts: [Script, ...Script[]]) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { method = '', url = '', headers } = request;
      const script = scripts[received.length] ?? scripts.at(-1);
      const one = { method, url, headers, body, at: performance.now() };
      received.push(one);
      return script?.(response, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Answers with the registry's envelope. */
export function answer(data: unknown, meta: object = {}): Script {
  return (response) => response.writeHead(200, json).end(JSON.stringify({ data, meta, request_id: 'request-1' }));
}

/** Refuses with a code of the catalogue. */
export function refuse(status: number, code: string, headers: Record<string, string> = {}, details?: object): Script {
  return (response) =>
    response
      .writeHead(status, { ...json, ...headers })
      .end(JSON.stringify({ error: { code, message: code, details }, request_id: 'request-2' }));
}

const json = { 'Content-Type': 'application/json; charset=utf-8' };
