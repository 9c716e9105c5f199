import { messageOf } from '../embedded/errors.ts';

/** Untyped `data` of an answer. */
export type Json = Record<string, unknown>;

type Sendable = { json: unknown } | { form: FormData } | null;

/** A browser of the demo, with session cookie and CSRF token. Every failed request ends the demo. */
export class DemoClient {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  private readonly cookies = new Map<string, string>();
  private csrfToken: string | null = null;

  constructor(baseUrl: string) {
    this.baseUrl = baseUrl;
  }

  get(path: string): Promise<Json> {
    return this.call('GET', path, null);
  }

  /** Returns the rows of a list. */
  async list(path: string): Promise<Json[]> {
    // A list has rows where a record has fields.
    return (await this.call('GET', path, null)) as unknown as Json[];
  }

  post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Json> {
    return this.call('POST', path, body === undefined ? null : { json: body }, headers);
  }

  put(path: string, body: unknown): Promise<Json> {
    return this.call('PUT', path, { json: body });
  }

  patch(path: string, body: unknown): Promise<Json> {
    return this.call('PATCH', path, { json: body });
  }

  delete(path: string, body: unknown): Promise<Json> {
    return this.call('DELETE', path, { json: body });
  }

  /** Starts a session, or reads the token of a renewed one. */
  async renewSession(): Promise<void> {
    this.csrfToken = String((await this.get('/session'))['csrf_token']);
  }

  /** @returns the id of the stored file */
  async upload(content: Buffer, purpose: string, name: string): Promise<string> {
    const form = new FormData();
    form.set('purpose', purpose);
    form.set('file', new Blob([new Uint8Array(content)]), name);
    return String((await this.call('POST', '/files', { form }))['id']);
  }

  /** Uploads a file to a route. */
  sendFile(path: string, content: Buffer, name: string): Promise<Json> {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(content)]), name);
    return this.call('POST', path, { form });
  }

  /** Downloads a file. */
  async download(path: string): Promise<Buffer> {
    const response = await this.send('GET', path, null);
    return Buffer.from(await response.arrayBuffer());
  }

  /** Returns the status of a GET that may be refused. */
  async statusOf(path: string): Promise<number> {
    const response = await this.fetch('GET', this.addressOf(path), null, {});
    await response.arrayBuffer();
    return response.status;
  }

  /** Opens the live stream. @param signal ends it */
  listen(path: string, signal: AbortSignal): Promise<Response> {
    return this.send('GET', path, null, { accept: 'text/event-stream' }, signal);
  }

  private async call(method: string, path: string, body: Sendable, headers: Record<string, string> = {}): Promise<Json> {
    const response = await this.send(method, path, body, headers);
    const { data } = (await response.json()) as { data: Json };
    return data;
  }

  /** @throws {RequestFailure} for any answer except a success */
  private async send(
    method: string,
    path: string,
    body: Sendable,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<Response> {
    const url = this.addressOf(path);
    const response = await this.fetch(method, url, body, headers, signal);
    if (!response.ok) throw new RequestFailure({ method, url, sent: shown(body), status: response.status, answer: await response.text() });
    return response;
  }

  private async fetch(
    method: string,
    url: string,
    body: Sendable,
    headers: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<Response> {
    const content = body === null ? undefined : 'form' in body ? body.form : JSON.stringify(body.json);
    try {
      const response = await fetch(url, {
        method,
        redirect: 'manual',
        headers: {
          accept: 'application/json',
          ...(body !== null && 'json' in body ? { 'content-type': 'application/json' } : {}),
          ...(this.cookies.size === 0 ? {} : { cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ') }),
          ...(this.csrfToken === null || method === 'GET' ? {} : { 'x-csrf-token': this.csrfToken }),
          ...headers,
        },
        ...(content === undefined ? {} : { body: content }),
        ...(signal === undefined ? {} : { signal }),
      });
      this.keepCookies(response);
      return response;
    } catch (error) {
      throw new RequestFailure({ method, url, sent: shown(body), status: null, answer: messageOf(error) });
    }
  }

  private addressOf(path: string): string {
    return `${this.baseUrl}${path.startsWith('/health') ? path : `/api/v1${path}`}`;
  }

  private keepCookies(response: Response): void {
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const equals = pair.indexOf('=');
      const [name, value] = [pair.slice(0, equals), pair.slice(equals + 1)];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}

function shown(body: Sendable): unknown {
  if (body === null) return undefined;
  return 'json' in body ? body.json : '(a file)';
}

/** A reason why the demo cannot continue; the terminal shows it without a stack trace. */
export class DemoFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DemoFailure';
  }
}

/** A request that failed unexpectedly, with its answer. */
interface FailedRequest {
  method: string;
  url: string;
  sent: unknown;
  /** Null without an answer. */
  status: number | null;
  answer: string;
}

/** A request was refused or not answered. The message shows the request without passwords and captcha answers. */
export class RequestFailure extends DemoFailure {
  constructor({ method, url, sent, status, answer }: FailedRequest) {
    const lines = [
      `${method} ${url} ${status === null ? 'was not answered' : `answered ${status}`}`,
      ...(sent === undefined ? [] : [`  sent:     ${JSON.stringify(sent, withoutSecrets)}`]),
      `  answered: ${answer.slice(0, 2000)}`,
    ];
    super(lines.join('\n'));
    this.name = 'RequestFailure';
  }
}

const secretFields = new Set(['password', 'captcha_answer', 'code', 'recovery_code']);

function withoutSecrets(name: string, value: unknown): unknown {
  return secretFields.has(name) ? '***' : value;
}
