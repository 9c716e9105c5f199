import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { TestClient } from '../support/client.ts';
import type { Attack } from './support/attacker.ts';
import { localUrl } from './support/bench-stack.ts';
import { startChild } from './support/child.ts';
import { mainThreadSeconds, percentile, say, timed, type Verdict } from './support/measure.ts';

/** The default limits: they are part of the measurement. */
export const callersEnvironment = {
  RATE_LIMIT_KEY_PER_MINUTE: '300',
  RATE_LIMIT_PUBLIC_PER_MINUTE: '60',
  MAX_CONNECTIONS_PER_IP: '300',
};
const windowMs = 10_000;
/** Keeps the measured caller below its own limit. */
const requestEveryMs = 220;
/** Goal of an attack over one connection. */
const mostCpuSeconds = 3;
const leastLimitMs = 150;
const callerAddress = '127.0.0.2';

const request = (line: string, headers = '', body = '') => `${line} HTTP/1.1\r\nHost: registry\r\n${headers}\r\n${body}`;
const chunked = 'Transfer-Encoding: chunked\r\n';
const tinyChunks = '1\r\nx\r\n'.repeat(10_000);
const multipart = `Content-Type: multipart/form-data; boundary=b\r\n${chunked}`;
const manyKeys = `{${Array.from({ length: 60_000 }, (_, index) => `"key${index}":1`).join(',')}}`;
const upload = request('POST /api/v1/contracts/verify-file', multipart, `${'1\r\nx\r\n'.repeat(60_000)}0\r\n\r\n`);

const endless = (line: string, repeat = tinyChunks, connections = 1): Attack => ({
  head: request(line, chunked),
  repeat,
  pauseMs: 0,
  connections,
});
const repeated = (repeat: string, pauseMs = 0): Attack => ({ head: '', repeat, pauseMs, connections: 1 });

const attacks: Readonly<Record<string, Attack>> = {
  'one-byte chunks, GET /health/live': endless('GET /health/live'),
  'one-byte chunks, POST /payment-return': endless('POST /api/v1/payment-return'),
  'one-byte chunks, an unknown path': endless('POST /nowhere'),
  'one-byte chunks, 200 connections': endless('POST /nowhere', tinyChunks, 200),
  '64 KB chunks, an unknown path': endless('POST /nowhere', `10000\r\n${'x'.repeat(65_536)}\r\n`),
  'long chunk extensions': endless('POST /nowhere', `1;${'e'.repeat(8_000)}\r\nx\r\n`.repeat(8)),
  '60,000 one-byte chunks of multipart a second': repeated(upload, 1_000),
  '60,000 unknown keys': repeated(
    request('POST /api/v1/auth/login', `Content-Type: application/json\r\nContent-Length: ${manyKeys.length}\r\n`, manyKeys),
    100,
  ),
  'GET /openapi.json': repeated(request('GET /api/v1/openapi.json')),
  'GET /health/live': repeated(request('GET /health/live')),
  'sixteen requests at a time': repeated(request('GET /nowhere').repeat(16), 1),
  'pipelined requests': repeated(request('GET /health/live').repeat(5_000)),
};

/**
 * `callers`: a caller with a key requests the prices while another address attacks: its latency, and the processor time of the API's main
 * thread. Linux only.
 */
export async function benchCallers(stack: Stack): Promise<Verdict[]> {
  const client = new TestClient(localUrl(stack));
  await client.login(stack.administrator.email, stack.administrator.password);
  const key = await client.makeKey(['applications:read']);
  const port = stack.config.PORT;
  const pid = stack.processes.api.pid ?? 0;
  const quiet = percentile(await timeRequests(port, key), 0.95);
  if (quiet >= windowMs) throw new Error('the requests of the caller fail without an attack');
  say(`  quiet: p95 ${quiet.toFixed(0)} ms`);
  const mostMs = Math.max(leastLimitMs, 3 * quiet);
  const verdicts: Verdict[] = [];
  for (const [index, [name, attack]] of Object.entries(attacks).entries()) {
    const mostCpu = attack.connections === 1 ? mostCpuSeconds : Infinity;
    const attacker = await startChild('support/attacker.ts', {});
    attacker.process.send({ attack, port, localAddress: `127.0.2.${index + 1}` });
    const before = mainThreadSeconds(pid);
    const startedAt = performance.now();
    const p95 = percentile(await timeRequests(port, key), 0.95);
    const cpu = ((mainThreadSeconds(pid) - before) * windowMs) / (performance.now() - startedAt);
    await attacker.stop();
    say(`  ${name}: p95 ${p95.toFixed(0)} ms, main thread ${cpu.toFixed(1)} s in 10 s`);
    verdicts.push({
      what: `${name}: p95 of another caller, CPU of the main thread in 10 s`,
      goal: `<= ${mostMs.toFixed(0)} ms${Number.isFinite(mostCpu) ? `, <= ${mostCpu} s` : ''}`,
      measured: `${p95.toFixed(0)} ms, ${cpu.toFixed(1)} s`,
      isMet: p95 <= mostMs && cpu <= mostCpu,
    });
  }
  return verdicts;
}

/** @returns milliseconds of each request; a failed one counts as the whole window */
async function timeRequests(port: number, key: string): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, localAddress: callerAddress });
  const until = performance.now() + windowMs;
  const millis: number[] = [];
  while (performance.now() < until) {
    let isServed = false;
    const took = await timed(async () => {
      isServed = await readPrices(port, key, agent);
    });
    millis.push(isServed ? took : windowMs);
    await pause(requestEveryMs);
  }
  agent.destroy();
  return millis;
}

function readPrices(port: number, key: string, agent: Agent): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { agent, headers: { authorization: `Bearer ${key}` } };
    const sent = get(`http://127.0.0.1:${port}/api/v1/services/prices`, options, (response) => {
      response.resume().once('end', () => resolve(response.statusCode === 200));
    });
    sent.once('error', () => resolve(false));
  });
}
