import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** Maximum pipelined requests; browsers and proxies send one. */
const maxPending = 16;

/**
 * Destroys a connection that pipelines too many requests. Node parses a read of 64 KB at once, and would serve its thousand requests before
 * other clients.
 * @param onFlood called once for such a connection
 */
export function limitPipelining(serve: RequestListener, onFlood: (request: IncomingMessage) => void): RequestListener {
  const pending = new WeakMap<Socket, number>();
  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const count = (pending.get(socket) ?? 0) + 1;
    if (count > maxPending) {
      socket.destroy();
      onFlood(request);
      return;
    }
    pending.set(socket, count);
    response.once('close', () => pending.set(socket, (pending.get(socket) ?? 1) - 1));
    serve(request, response);
  };
}
