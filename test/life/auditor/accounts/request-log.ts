import type { Area } from '../area.ts';
import type { Exchange } from '../exchange.ts';
import type { Inquiry } from '../inquiry.ts';
import type { Model } from '../model.ts';
import { isPublic } from './doors.ts';

/** A request of a program. */
export interface LoggedRequest extends Pick<Exchange, 'requestId' | 'operation' | 'status'> {
  credential: string;
  code: string | null;
  /** By the machine's clock. */
  notedAt: number;
}

interface Row {
  request_id: string;
  method: string;
  route: string;
  status: number;
  code: string | null;
}

/** Requests are written aside, within seconds. */
const writingMs = 5000;
const mostAsked = 50;

/** The requests of a key, as its owner and administrators see them (ACC-33). */
export const requestLogArea: Area = {
  saw(model, exchange) {
    note(model, exchange);
    return [];
  },
  read: note,
  refused: note,

  async ask(inquiry) {
    const { model } = inquiry;
    const due = model.requestsOfKeys.filter(({ notedAt }) => Date.now() - notedAt > writingMs);
    const [first] = due;
    if (!first) return;
    const ofKey = due.filter(({ credential }) => credential === first.credential);
    model.requestsOfKeys = model.requestsOfKeys.filter((one) => !ofKey.includes(one));
    // The last ones before a crash are lost.
    await askKey(inquiry, ofKey.filter(({ notedAt }) => notedAt > inquiry.disturbedAt).slice(-mostAsked));
  },
};

/** A key that has ended, or never was, has no request. */
function note(model: Model, { requestId, operation, status, by, error }: Exchange): void {
  const { credential, scopes } = by;
  model.senders.set(requestId, credential ?? null);
  if (scopes === null || typeof credential !== 'string' || status === 401 || isPublic(operation)) return;
  model.requestsOfKeys.push({ requestId, operation, status, code: error?.code ?? null, credential, notedAt: Date.now() });
}

async function askKey(inquiry: Inquiry, requests: readonly LoggedRequest[]): Promise<void> {
  const { model, same, as, asAdministrator } = inquiry;
  const key = model.keys.get(requests[0]?.credential ?? '');
  const owner = key && inquiry.personOf(key.ownerId);
  if (!key || !owner || !inquiry.isActive(owner) || inquiry.isSignedOut(owner)) return;
  const own = await as(owner, 'GET /api-keys/{id}/requests', { params: { id: key.id }, query: '?limit=100' });
  if (own.status !== 200) return;
  const askRows = (reader: string, rows: readonly Row[], expected: readonly LoggedRequest[]) => {
    const missing = expected.filter((one) => !rows.some((row) => isRowOf(row, one)));
    same(
      `the requests of key ${key.id} are in the log for ${reader}, with route, status and code (ACC-33)`,
      [],
      missing.map(({ requestId, operation, status, code }) => `${requestId} ${operation} ${status} ${code}`),
    );
    const values = rows.filter(({ route }) => route.split('/').some((part) => /^\d+$|[0-9a-f]{8}-/.test(part)));
    same(`the log of key ${key.id} names no values (ACC-33)`, [], values);
  };
  askRows('its owner', own.data, requests);
  // An account has many requests, and few refusals.
  const refusal = requests.findLast(({ status }) => status >= 400);
  if (refusal) {
    const call = { params: { id: key.ownerId }, query: `?limit=100&status=${refusal.status}` };
    askRows('an administrator', (await asAdministrator('GET /admin/users/{id}/requests', call)).data, [refusal]);
  }
  const foreign = (own.data as Row[]).filter(
    ({ request_id: id }) => (model.senders.get(id) ?? requests[0]?.credential) !== requests[0]?.credential,
  );
  same(`the log of key ${key.id} has no request of another caller (ACC-33)`, [], foreign);
}

function isRowOf({ request_id: id, method, route, status, code }: Row, request: LoggedRequest): boolean {
  if (id !== request.requestId || status !== request.status || code !== request.code) return false;
  const [asked, path = ''] = request.operation.split(' ');
  const [parts, names] = [path.split('/'), route.split('/')];
  return asked === method && parts.length === names.length && names.every((name, place) => name.startsWith(':') || name === parts[place]);
}
