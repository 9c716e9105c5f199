import type { Exchange } from './auditor/exchange.ts';

/** A request as a line for a shell, with the answer's status behind it. Credentials are named, not shown. */
export function curlOf({ operation, params, query, body, by, status, error }: Exchange): string {
  const [method = '', template = ''] = operation.split(' ');
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(params[name] ?? '')) + query;
  const data = body === undefined ? '' : ` --json '${JSON.stringify(body).replaceAll("'", String.raw`'\''`)}'`;
  return `curl -X ${method} "$BASE/api/v1${path}"${data}  # ${by.name}: ${status}${error === null ? '' : ` ${error.code}`}`;
}
