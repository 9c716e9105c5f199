import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { TestClient } from '../support/client.ts';
import { callerAttacks } from './caller-attacks.ts';
import { localUrl } from './support/bench-stack.ts';
import { startChild } from './support/child.ts';
import { percentile, timed } from './support/measure.ts';
import { say, type Verdict } from './support/report.ts';

/** The limits as they are by default: they are part of what is measured. */
export const callersEnvironment = {
  RATE_LIMIT_KEY_PER_MINUTE: '300',
  RATE_LIMIT_PUBLIC_PER_MINUTE: '60',
  MAX_CONNECTIONS_PER_IP: '300',
};
const windowMs = 10_000;
/** So that the victim stays below its own limit. */
const askEveryMs = 220;
/** Of one connection. */
const mostCpuSeconds = 3;
const leastLimitMs = 150;
const victimAddress = '127.0.0.2';
/** Of `/proc`: one is a hundredth of a second. */
const ticksPerSecond = 100;

/** One caller with a key asks for the prices while another address attacks: how long it waits, and what the attack costs. Linux only. */
export async function benchCallers(stack: Stack): Promise<Verdict[]> {
  const client = new TestClient(localUrl(stack));
  await client.login(stack.administrator.email, stack.administrator.password);
  const key = await client.makeKey(['applications:read']);
  const port = stack.config.PORT;
  const pid = stack.processes.api.pid ?? 0;
  const quiet = percentile(await ask(port, key), 0.95);
  if (quiet >= windowMs) throw new Error('the requests of the victim fail without an attack');
  say(`  quiet: p95 ${quiet.toFixed(0)} ms`);
  const mostMs = Math.max(leastLimitMs, 3 * quiet);
  const verdicts: Verdict[] = [];
  for (const [index, [name, { connections }]] of Object.entries(callerAttacks).entries()) {
    const mostCpu = connections === 1 ? mostCpuSeconds : Infinity;
    const attacker = await startChild('caller-attack.ts', {}, { args: [name, String(port), `127.0.2.${index + 1}`] });
    const before = mainThreadSeconds(pid);
    const startedAt = performance.now();
    const p95 = percentile(await ask(port, key), 0.95);
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

/** @returns milliseconds of each request; one that fails counts as the whole window */
async function ask(port: number, key: string): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, localAddress: victimAddress });
  const until = performance.now() + windowMs;
  const millis: number[] = [];
  while (performance.now() < until) {
    let isAnswered = false;
    const took = await timed(async () => {
      isAnswered = await readPrices(port, key, agent);
    });
    millis.push(isAnswered ? took : windowMs);
    await pause(askEveryMs);
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

/** Processor time of the main thread of a process. */
function mainThreadSeconds(pid: number): number {
  const text = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8');
  // The name, in brackets, may have blanks; the first word after it is the third field.
  const words = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(words[11]) + Number(words[12])) / ticksPerSecond;
}
