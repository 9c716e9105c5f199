import { createServer, type IncomingMessage, request as sendTo, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** `early`: the connection ends while the server still works. `late`: after its answer. `half`: within the answer. `never`: not at all. */
export type Loss = 'early' | 'late' | 'half' | 'never';

/**
 * Starts a proxy that passes every request on, and loses the answers to the first attempts of each write.
 * @param losses of the attempts in order; further attempts are answered
 */
export async function startLossyProxy(target: string, losses: readonly Loss[]) {
  const attempts = new Map<string, number>();
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const content = await buffer(request);
    const key = request.headers['idempotency-key'];
    const attempt = typeof key === 'string' ? (attempts.get(key) ?? 0) : losses.length;
    if (typeof key === 'string') attempts.set(key, attempt + 1);
    const loss = losses[attempt] ?? 'never';
    // The server never notices the loss: its own connection stays.
    const answered = forward(target, request, content);
    if (loss === 'early') response.destroy();
    const { status, headers, body } = await answered;
    if (loss === 'late') response.destroy();
    if (loss === 'early' || loss === 'late') return;
    response.writeHead(status, headers);
    if (loss === 'half') response.write(body.subarray(0, body.length / 2), () => response.destroy());
    else response.end(body);
  };
  const server = createServer((request, response) => void pass(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Number of attempts of each write, by its `Idempotency-Key`. */
    attempts,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function forward(target: string, { method = 'GET', url = '', headers }: IncomingMessage, content: Buffer) {
  return new Promise<{ status: number; headers: IncomingMessage['headers']; body: Buffer }>((resolve, reject) => {
    const passed = sendTo(new URL(url, target), { method, headers: { ...headers, host: new URL(target).host } }, (answer) => {
      void buffer(answer).then((body) => resolve({ status: answer.statusCode ?? 502, headers: answer.headers, body }), reject);
    });
    passed.once('error', reject);
    passed.end(content);
  });
}
