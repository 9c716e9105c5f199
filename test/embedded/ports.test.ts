import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { checkPorts, freePorts } from '../../src/tools/embedded/ports.ts';

describe('checkPorts', () => {
  it.each(['127.0.0.1', '0.0.0.0', '::'])('names the variable of a port in use on %s', async (host) => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    const { port } = server.address() as AddressInfo;
    await expect(checkPorts([{ variable: 'POSTGRES_PORT', port, server: 'PostgreSQL' }])).rejects.toThrow(
      `port ${port} (PostgreSQL) is used by another program\nSet other ports: POSTGRES_PORT=`,
    );
    await new Promise((resolve) => server.close(resolve));
  });

  it('names both variables with the same port', async () => {
    const [port = 0] = await freePorts(1);
    const wanted = [
      { variable: 'PORT', port, server: 'API' },
      { variable: 'TEMPORAL_PORT', port, server: 'Temporal' },
    ];
    await expect(checkPorts(wanted)).rejects.toThrow(`TEMPORAL_PORT and PORT are both ${port}`);
  });

  it('takes a port of `freePorts` for free only once, also for another program', async () => {
    const ask = `
      import { freePorts } from './src/tools/embedded/ports.ts';
      console.log(JSON.stringify(await freePorts(200)));
      setInterval(() => undefined, 1000);`;
    const programs = [1, 2, 3].map(() => spawn(process.execPath, ['--input-type=module', '-e', ask]));
    try {
      const found = await Promise.all(programs.map(async ({ stdout }) => JSON.parse(String((await once(stdout, 'data'))[0])) as number[]));
      expect(new Set(found.flat()).size).toBe(600);
    } finally {
      for (const program of programs) program.kill();
    }
  });

  it('accepts free ports', async () => {
    const ports = await freePorts(3);
    expect(new Set(ports).size).toBe(3);
    await checkPorts(ports.map((port, index) => ({ variable: `PORT_${index}`, port, server: 'server' })));
  });
});
