import { formatDateTime } from '../../platform/time/date-time.ts';
import { DemoFailure } from './client.ts';

/** The routes of the sandbox are in no release of the API, so `client/` has no types for them. */
async function send(baseUrl: string, method: string, path: string, body?: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(`${baseUrl}/api/v1/sandbox${path}`, { method, ...(body && { headers, body: JSON.stringify(body) }) });
}

export interface Clock {
  now: Date;
  /** Ahead of the real clock. */
  offsetSeconds: number;
}

/** Reads the clock. @returns null when SANDBOX is off */
export async function readClock(baseUrl: string): Promise<Clock | null> {
  const response = await send(baseUrl, 'GET', '/clock');
  if (!response.ok) return null;
  const { data } = (await response.json()) as { data: { now: string; offset_seconds: number } };
  return { now: new Date(data.now), offsetSeconds: data.offset_seconds };
}

/** Moves the clock. @throws {DemoFailure} */
export async function moveClock(baseUrl: string, instant: Date): Promise<void> {
  await require(send(baseUrl, 'PUT', '/clock', { now: formatDateTime(instant) }));
}

/** Lets the sweeper wake the processes. @throws {DemoFailure} */
export async function sweep(baseUrl: string): Promise<void> {
  await require(send(baseUrl, 'POST', '/sweep'));
}

async function require(answer: Promise<Response>): Promise<void> {
  const response = await answer;
  if (!response.ok) throw new DemoFailure(`${response.url} answered ${response.status}: ${await response.text()}`);
}
