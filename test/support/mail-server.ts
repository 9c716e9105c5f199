import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';

/** The smallest mail server that nodemailer talks to; keeps what it was given. */
export async function startMailServer(): Promise<{ url: string; server: Server; receivers: string[]; messages: string[] }> {
  const receivers: string[] = [];
  const messages: string[] = [];
  const server = createServer((socket) => {
    let message: string[] | null = null;
    let pending = '';
    socket.on('error', () => undefined);
    socket.write('220 test\r\n');
    socket.on('data', (chunk: Buffer) => {
      const lines = (pending + chunk.toString()).split('\r\n');
      pending = lines.pop() ?? '';
      for (const line of lines) {
        if (message && line !== '.') message.push(line);
        else if (message) {
          messages.push(message.join('\r\n'));
          message = null;
          socket.write('250 taken\r\n');
        } else if (line === 'DATA') {
          message = [];
          socket.write('354 go on\r\n');
        } else {
          if (line.startsWith('RCPT TO:')) receivers.push(line.slice(8));
          socket.write('250 ok\r\n');
        }
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, server, receivers, messages };
}
