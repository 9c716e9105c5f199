import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The hosts of the installation. Those of the servers share one network namespace, this process's, and have addresses of their own. */
export const servers = ['proxy', 'postgres', 'temporal', 'storage', 'mail', 'bank'] as const;
const programs = ['api-1', 'api-2', 'worker-1', 'worker-2'] as const;
export type Server = (typeof servers)[number];
export type Program = (typeof programs)[number];

/** Faults of a link between programs and a server. */
export const faults = {
  cut: { answers: { loss: 1, delay: 0 }, requests: { loss: 1, delay: 0 } },
  'one-way': { answers: { loss: 1, delay: 0 }, requests: { loss: 0, delay: 0 } },
  '200 ms slower': { answers: { loss: 0, delay: 0.1 }, requests: { loss: 0, delay: 0.1 } },
  '5 % loss': { answers: { loss: 0.05, delay: 0 }, requests: { loss: 0.05, delay: 0 } },
} as const;
export type Fault = keyof typeof faults;
const noFault = { loss: 0, delay: 0 };

/** A network in which each program of the installation is a host. */
export interface Network {
  addressOf(host: Server | Program): string;
  /** Command and arguments that run a command on a host. */
  runOn(host: Program, command: string, args: readonly string[]): [string, string[]];
  /** Disturbs the links between programs and a server. @returns a function that repairs them */
  disturb(from: readonly Program[], to: Server, fault: Fault): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

const execute = promisify(execFile);
const ip = (...args: string[]) => execute('ip', args);
const prefix = 'registry-';

/**
 * Makes a network namespace for each program, and a switch between them: a program of this machine, because netem is not in every kernel.
 * The namespaces of a killed run are removed first; the devices end with their switch.
 * @returns null where namespaces or TUN devices cannot be made (needs Linux, root, iproute2, Python 3)
 */
export async function startNetwork(): Promise<Network | null> {
  const undo: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  try {
    await removeLeftovers();
    return await layCables(undo, close);
  } catch (error) {
    await close();
    process.stderr.write(
      `No network namespaces here: ${error instanceof Error ? (error.message.split('\n')[1] ?? error.message) : error}\n`,
    );
    return null;
  }
}

async function layCables(undo: (() => Promise<unknown>)[], close: () => Promise<void>): Promise<Network> {
  // Addresses for measurements (RFC 2544), which no real network uses; one network for each run.
  const subnet = `198.18.${process.pid % 256}`;
  const names = [...servers, ...programs];
  const addressOf = (host: Server | Program) => `${subnet}.${names.indexOf(host) + 1}`;
  const namespaceOf = (host: Program) => `${prefix}${process.pid}-${host}`;
  const deviceOf = (host: Program | 'servers') => `t${process.pid}.${host === 'servers' ? 0 : programs.indexOf(host) + 1}`;

  for (const host of programs) {
    await ip('netns', 'add', namespaceOf(host));
    undo.push(() => ip('netns', 'delete', namespaceOf(host)));
  }
  const file = fileURLToPath(new URL('links.py', import.meta.url));
  const child = spawn('python3', [file, ...(['servers', ...programs] as const).map(deviceOf)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const tell = await converse(child);
  undo.push(async () => {
    const ended = once(child, 'exit');
    child.stdin.end();
    await ended;
  });
  for (const host of programs) {
    const inside = ['-n', namespaceOf(host)];
    await ip('link', 'set', deviceOf(host), 'netns', namespaceOf(host));
    await ip(...inside, 'address', 'add', `${addressOf(host)}/24`, 'dev', deviceOf(host));
    await ip(...inside, 'link', 'set', deviceOf(host), 'up');
    await ip(...inside, 'link', 'set', 'lo', 'up');
  }
  for (const host of servers) await ip('address', 'add', `${addressOf(host)}/24`, 'dev', deviceOf('servers'));
  await ip('link', 'set', deviceOf('servers'), 'up');
  const deviceOfHost = (host: Server | Program) => deviceOf(programs.find((name) => name === host) ?? 'servers');
  await tell({ hosts: Object.fromEntries(names.map((host) => [addressOf(host), deviceOfHost(host)])) });

  return {
    addressOf,
    runOn: (host, command, args) => ['ip', ['netns', 'exec', namespaceOf(host), command, ...args]],
    async disturb(from, to, fault) {
      const [clients, server] = [from.map(addressOf), [addressOf(to)]];
      const set = async ({ requests, answers }: Record<'requests' | 'answers', typeof noFault>) => {
        await tell({ from: clients, to: server, ...requests });
        await tell({ from: server, to: clients, ...answers });
      };
      await set(faults[fault]);
      return () => set({ requests: noFault, answers: noFault });
    },
    close,
  };
}

/** Starts to talk with the switch. @returns sends an order and waits until it is in effect */
async function converse(child: ChildProcess): Promise<(order: object) => Promise<void>> {
  if (child.stdout === null) throw new Error('the switch has no output');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async () => {
    const { done } = await lines.next();
    if (done === true) throw new Error('the switch ended');
  };
  const missing = once(child, 'error').then(([error]) => Promise.reject(error as Error));
  await Promise.race([answer(), missing]);
  return async (order) => {
    child.stdin?.write(`${JSON.stringify(order)}\n`);
    await answer();
  };
}

/** Namespaces stay when their run is killed. Their names have its process id. */
async function removeLeftovers(): Promise<void> {
  const { stdout } = await ip('netns', 'list');
  for (const [name, pid] of stdout.matchAll(new RegExp(`^${prefix}(\\d+)-\\S+`, 'gm')))
    if (!isRunning(Number(pid))) await ip('netns', 'delete', name);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
