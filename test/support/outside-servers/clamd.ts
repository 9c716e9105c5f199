import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** The harmless file by which virus scanners are tried; in two pieces, so that none takes this source for it. */
export const eicar = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('');

/** How the daemon behaves: `obedient`, or in one of the ways in which it fails. */
export type ClamdMood = 'obedient' | 'silent' | 'deaf' | 'broken' | 'half a line' | 'endless';

export interface ClamdSimulator {
  url: string;
  port: number;
  mood: ClamdMood;
  /** What each finished stream held. */
  readonly received: Buffer[];
  /** Connections that are open now. */
  readonly open: number;
  close(): Promise<void>;
}

/**
 * A clamd that speaks INSTREAM (clamd(8)): `zINSTREAM\0`, chunks after their length in four bytes in network order, an empty one at the
 * end; one line back, ended by NUL. It finds the EICAR file and nothing else.
 */
export async function startClamdSimulator({ streamMaxLength = 25 * 1024 * 1024, port = 0 } = {}): Promise<ClamdSimulator> {
  const sockets = new Set<Socket>();
  /** Connections that are never read: they do not learn that the other end is gone. */
  const unread = new Set<Socket>();
  const received: Buffer[] = [];
  let mood: ClamdMood = 'obedient';

  const serve = (socket: Socket): void => {
    let input = Buffer.alloc(0);
    let hasCommand = false;
    const chunks: Buffer[] = [];
    let length = 0;
    const reply = (line: string): void => void socket.end(`${line}\0`);

    const answer = (): void => {
      const content = Buffer.concat(chunks);
      received.push(content);
      if (mood === 'silent') return;
      if (mood === 'half a line') socket.end('stream: O');
      else if (mood === 'endless') socket.write('stream: '.repeat(2000));
      else if (mood === 'broken') reply('stream: Can not allocate memory ERROR');
      else reply(content.includes(eicar) ? 'stream: Eicar-Test-Signature FOUND' : 'stream: OK');
    };

    socket.on('data', (data: Buffer) => {
      input = Buffer.concat([input, data]);
      if (!hasCommand) {
        const end = input.indexOf(0);
        if (end < 0) return;
        if (input.toString('latin1', 0, end) !== 'zINSTREAM') return reply('UNKNOWN COMMAND');
        hasCommand = true;
        input = input.subarray(end + 1);
      }
      while (input.length >= 4) {
        const size = input.readUInt32BE(0);
        if (size === 0) return answer();
        if (length + size > streamMaxLength) return reply('INSTREAM size limit exceeded. ERROR');
        if (input.length < 4 + size) return;
        chunks.push(input.subarray(4, 4 + size));
        length += size;
        input = input.subarray(4 + size);
      }
    });
  };

  const server: Server = createServer((socket) => {
    // A client that gives up resets the connection.
    socket.on('error', () => socket.destroy());
    if (mood === 'deaf') {
      unread.add(socket.pause());
      return;
    }
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    serve(socket);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `tcp://127.0.0.1:${taken}`,
    port: taken,
    received,
    get mood() {
      return mood;
    },
    set mood(next) {
      mood = next;
    },
    get open() {
      return sockets.size;
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of [...sockets, ...unread]) socket.destroy();
      await closed;
    },
  };
}
