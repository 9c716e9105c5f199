import type { History } from '@temporalio/common/lib/proto-utils.js';

/** A workflow's history as text with every payload opened, so that it can be searched for words. */
export function readableHistory(history: History): string {
  return openPayloads(JSON.stringify(history));
}

/** The same for a history that lies in a file: as JSON, its payloads are base64. */
export function openPayloads(json: string): string {
  return json.replaceAll(/"data":\s*"([A-Za-z0-9+/=]*)"/g, (_whole, data: string) => `"data": ${Buffer.from(data, 'base64').toString()}`);
}
