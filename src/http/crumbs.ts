import type { IncomingMessage } from 'node:http';

/** Of the wire; below that a body is too small to matter. */
const leastBytes = 256 * 1024;

/**
 * Watches for a body that comes in crumbs: a piece of one byte takes six on the wire and as much work as one of a thousand, so a
 * megabyte of them holds a processor for seconds.
 * @returns whether it does, given how many bytes of the body have come
 */
export function watchCrumbs({ socket }: IncomingMessage): (received: number) => boolean {
  const before = socket.bytesRead;
  return (received) => {
    const onTheWire = socket.bytesRead - before;
    return onTheWire > leastBytes && onTheWire > 2 * received;
  };
}
