import { createClient, RegistryError, type RegistryClient } from '../../../client/src/index.ts';

/** A browser of the demo: the client of `client/`, with session cookie and CSRF token instead of an API key. */
export interface DemoClient extends RegistryClient {
  /** Without a slash at the end. */
  baseUrl: string;
  /** Of a write that only a browser may make. */
  header: { 'X-CSRF-Token': string };
  /** Starts a session, or reads the token of a renewed one. */
  renewSession(): Promise<void>;
}

export function openBrowser(baseUrl: string): DemoClient {
  const cookies = new Map<string, string>();
  const header = { 'X-CSRF-Token': '' };
  const client = createClient({
    baseUrl,
    // A walk shows each answer as it comes.
    retry: { attempts: 1 },
    async fetch(request) {
      request.headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
      if (request.method !== 'GET') request.headers.set('x-csrf-token', header['X-CSRF-Token']);
      const response = await fetch(request);
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(line) ?? [];
        if (value === '') cookies.delete(name);
        else cookies.set(name, value);
      }
      return response;
    },
  });
  const renewSession = async () => {
    header['X-CSRF-Token'] = (await client.GET('/session')).data.csrf_token;
  };
  return { ...client, baseUrl, header, renewSession };
}

/** Parameters of a path with the id of a record. */
export function at(id: number): { params: { path: { id: number } } } {
  return { params: { path: { id } } };
}

export function fileOf(content: Buffer, name: string): File {
  return new File([new Uint8Array(content)], name);
}

/** Stores a file. @returns its id */
export async function storeFile(client: DemoClient, content: Buffer, purpose: string, name: string): Promise<string> {
  return (await client.upload(purpose, fileOf(content, name), name)).id;
}

/** Downloads a file. @param call with `parseAs: 'arrayBuffer'` */
export async function download(call: Promise<{ data: ArrayBuffer }>): Promise<Buffer> {
  return Buffer.from((await call).data);
}

/** Returns the status of a call that may be refused. */
export async function statusOf(call: Promise<{ response: Response }>): Promise<number> {
  try {
    return (await call).response.status;
  } catch (error) {
    if (error instanceof RegistryError) return error.status;
    throw error;
  }
}

/** A reason why the demo cannot continue; the terminal shows it without a stack trace. */
export class DemoFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DemoFailure';
  }
}
