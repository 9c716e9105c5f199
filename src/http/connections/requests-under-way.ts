import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** Far above what browsers and proxies pipeline, which is one. */
const mostOfConnection = 16;

/**
 * Destroys a connection that pipelines too many requests. Node parses a read of 64 KB at once, with more than a thousand requests, and
 * would serve all of them before other clients.
 * @param flooded called once for such a connection
 */
export function limitUnderWay(serve: RequestListener, flooded: (request: IncomingMessage) => void): RequestListener {
  const underWay = new WeakMap<Socket, number>();
  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const count = (underWay.get(socket) ?? 0) + 1;
    if (count > mostOfConnection) {
      socket.destroy();
      flooded(request);
      return;
    }
    underWay.set(socket, count);
    response.once('close', () => underWay.set(socket, (underWay.get(socket) ?? 1) - 1));
    serve(request, response);
  };
}
