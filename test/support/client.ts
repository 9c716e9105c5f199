import { captchaAnswer } from './identities/captcha-answer.ts';

/** An answer as a client sees it. `data` is loosely typed on purpose: tests say what they expect of it. */
export interface Answer {
  status: number;
  headers: Headers;
  // A test reads answers like a client written in JavaScript does; every field it touches is asserted.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
  bytes: Buffer;
}

export interface RequestOptions {
  headers?: Record<string, string>;
  body?: unknown;
  raw?: BodyInit;
}

/** A browser (cookies and CSRF token) or, with `key`, a program. It sends exactly what it is told to. */
export class TestClient {
  readonly baseUrl: string;
  readonly key: string | null;
  cookie: string | null = null;
  csrf: string | null = null;
  /** What a proxy says where it comes from (`X-Forwarded-For`); null: it comes straight. */
  from: string | null = null;
  userId = 0;
  email = '';
  password = '';

  constructor(baseUrl: string, key: string | null = null) {
    this.baseUrl = baseUrl;
    this.key = key;
  }

  async request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const headers: Record<string, string> = { accept: 'application/json' };
    if (this.key !== null) headers['authorization'] = `Bearer ${this.key}`;
    if (this.from !== null) headers['x-forwarded-for'] = this.from;
    if (this.cookie !== null) headers['cookie'] = this.cookie;
    if (this.csrf !== null && method !== 'GET') headers['x-csrf-token'] = this.csrf;
    if (options.body !== undefined) headers['content-type'] = 'application/json';
    Object.assign(headers, options.headers);
    const content = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    const response = await fetch(this.address(path), {
      method,
      headers,
      redirect: 'manual',
      ...(content === undefined ? {} : { body: content }),
    });
    this.keepCookies(response);
    // A live stream has no end: its head is all there is to wait for (`event-stream.ts` reads one).
    const isEndless = response.headers.get('content-type') === 'text/event-stream';
    if (isEndless) await response.body?.cancel();
    const bytes = isEndless ? Buffer.alloc(0) : Buffer.from(await response.arrayBuffer());
    const isJson = response.headers.get('content-type')?.includes('application/json') ?? false;
    return {
      status: response.status,
      headers: response.headers,
      body: isJson && bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined,
      bytes,
    };
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request('GET', path, { headers });
  }
  post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request('POST', path, { body, headers });
  }
  put(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request('PUT', path, { body, headers });
  }
  patch(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request('PATCH', path, { body, headers });
  }
  delete(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request('DELETE', path, { body, headers });
  }

  /** Uploads one file as multipart/form-data. */
  upload(content: Buffer, purpose: string, name = 'file.bin', headers: Record<string, string> = {}): Promise<Answer> {
    const form = new FormData();
    form.set('purpose', purpose);
    form.set('file', new Blob([new Uint8Array(content)]), name);
    return this.request('POST', '/files', { raw: form, headers });
  }

  /** Sends one file to a route that takes nothing else. */
  sendFile(path: string, content: Buffer, name = 'scan.pdf', headers: Record<string, string> = {}): Promise<Answer> {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(content)]), name);
    return this.request('POST', path, { raw: form, headers });
  }

  /** Starts the browser session and keeps its CSRF token. */
  async session(): Promise<Answer> {
    const answer = await this.get('/session');
    this.csrf = answer.body.data.csrf_token;
    return answer;
  }

  async captcha(purpose: 'register' | 'forgot' | 'contact'): Promise<{ captcha_id: string; captcha_answer: string }> {
    const answer = await this.get(`/captcha?purpose=${purpose}`);
    return { captcha_id: answer.body.data.captcha_id, captcha_answer: captchaAnswer };
  }

  async register(email: string, name: string, password = 'a-long-enough-secret'): Promise<void> {
    await this.session();
    this.expect(201, await this.post('/auth/register', { email, name, password, ...(await this.captcha('register')) }));
    await this.known(email, password);
  }

  async login(email: string, password: string): Promise<void> {
    await this.session();
    this.expect(200, await this.post('/auth/login', { email, password }));
    await this.known(email, password);
  }

  /** An API key of this person with these scopes, good for 300 days of the service's time. */
  async makeKey(scopes: readonly string[]): Promise<string> {
    const clock = await this.get('/sandbox/clock');
    const now = clock.status === 200 ? Date.parse(clock.body.data.now) : Date.now();
    const expiresAt = new Date(now + 300 * 86_400_000).toISOString();
    const made = this.expect(201, await this.post('/api-keys', { name: 'test', scopes, expires_at: expiresAt, password: this.password }));
    return made.body.data.key;
  }

  /** A program that acts for this person with these scopes. */
  async program(scopes: readonly string[]): Promise<TestClient> {
    const program = new TestClient(this.baseUrl, await this.makeKey(scopes));
    program.userId = this.userId;
    return program;
  }

  /** The same caller in another tab, or at another API. */
  copy(baseUrl = this.baseUrl): TestClient {
    const { key, cookie, csrf, userId, email, password } = this;
    return Object.assign(new TestClient(baseUrl, key), { cookie, csrf, userId, email, password });
  }

  /** Fails with the whole answer when the status is another; returns the answer otherwise. */
  expect(status: number, answer: Answer): Answer {
    if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status}: ${answer.bytes.toString().slice(0, 2000)}`);
    return answer;
  }

  private async known(email: string, password: string): Promise<void> {
    await this.session();
    const { body } = await this.get('/account');
    this.userId = body.data.user.id;
    this.email = email;
    this.password = password;
  }

  private address(path: string): string {
    const isAtRoot =
      path.startsWith('/reset') ||
      path.startsWith('/confirm-email') ||
      path.startsWith('/mail-preferences') ||
      path.startsWith('/v/') ||
      path.startsWith('/a/') ||
      path.startsWith('/docs') ||
      path.startsWith('/health') ||
      path.startsWith('/metrics') ||
      path.startsWith('/.well-known') ||
      path.startsWith('/status-lists') ||
      path.startsWith('/api/');
    return this.baseUrl + (isAtRoot ? path : `/api/v1${path}`);
  }

  private keepCookies(response: Response): void {
    const cookies = new Map(
      (this.cookie ?? '')
        .split('; ')
        .filter(Boolean)
        .map((pair) => [pair.slice(0, pair.indexOf('=')), pair]),
    );
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const name = pair.slice(0, pair.indexOf('='));
      if (pair === `${name}=`) cookies.delete(name);
      else cookies.set(name, pair);
    }
    this.cookie = cookies.size > 0 ? [...cookies.values()].join('; ') : null;
  }
}

/**
 * Sorts the answers to simultaneous requests with one key: one request takes effect, and each other one replays its answer or is refused
 * because it is in progress (API-6).
 */
export function sortTwins(answers: readonly Answer[]): { effects: Answer[]; replays: Answer[]; others: Answer[] } {
  const isReplay = ({ headers }: Answer) => headers.get('idempotent-replayed') === 'true';
  const isInProgress = ({ body, headers }: Answer) => body.error?.code === 'request_in_progress' && headers.get('retry-after') === '1';
  return {
    effects: answers.filter((answer) => answer.status < 300 && !isReplay(answer)),
    replays: answers.filter((answer) => answer.status < 300 && isReplay(answer)),
    others: answers.filter((answer) => answer.status >= 300 && !isInProgress(answer)),
  };
}
