import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** Far above what browsers and proxies send without waiting, which is one. */
const mostOfConnection = 16;

/**
 * Cuts a connection that sends requests and does not wait for the answers. What lies in one piece of 64 KB is read in one go, more than a
 * thousand requests, and all of them would be served before anybody else is.
 * @param flooded hears of such a connection once
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
