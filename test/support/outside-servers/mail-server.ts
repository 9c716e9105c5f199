import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

export interface MailServer {
  url: string;
  server: Server;
  receivers: string[];
  messages: string[];
  /**
   * Answers of its own to lines such as `RCPT TO:<a@example.kz>`, or to the end of a message (`.`), which it is given; null: it takes it.
   */
  answer: (line: string, message: string) => string | null;
  close(): Promise<void>;
}

/**
 * The smallest mail server that nodemailer talks to; keeps what it was given.
 * @param port for one that was away; another each time where nothing is said
 */
export async function startMailServer(port = 0): Promise<MailServer> {
  const receivers: string[] = [];
  const messages: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let message: string[] | null = null;
    let pending = '';
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.write('220 test\r\n');
    socket.on('data', (chunk: Buffer) => {
      const lines = (pending + chunk.toString()).split('\r\n');
      pending = lines.pop() ?? '';
      for (const line of lines) {
        if (message && line !== '.') {
          message.push(line);
          continue;
        }
        const other = started.answer(line, message?.join('\r\n') ?? '');
        if (message) {
          if (other === null) messages.push(message.join('\r\n'));
          message = null;
          socket.write(`${other ?? '250 taken'}\r\n`);
        } else if (line === 'DATA' && other === null) {
          message = [];
          socket.write('354 go on\r\n');
        } else {
          if (line.startsWith('RCPT TO:')) receivers.push(line.slice(8));
          socket.write(`${other ?? '250 ok'}\r\n`);
        }
      }
    });
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  const started: MailServer = {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    receivers,
    messages,
    answer: () => null,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return started;
}
