import type { components } from './types.ts';

type Refusal = components['schemas']['Error'];

/** A code of the catalogue. A later release of the registry may have more. */
export type ErrorCode = components['schemas']['ErrorCode'];

/** Facts for the next step; those of some codes have a type. */
export type ErrorDetails = NonNullable<Refusal['error']['details']> & Readonly<Record<string, unknown>>;

/** The registry refused a call, or failed after all retries. */
export class RegistryError extends Error {
  /** `http_502` and the like when the answer has no code, as those of a proxy. */
  readonly code: ErrorCode | (string & {});
  readonly status: number;
  readonly details: ErrorDetails;
  /** Name it to support; null when the answer has none. */
  readonly requestId: string | null;

  constructor(status: number, refusal: Partial<Refusal>, requestId: string | null) {
    const { code = `http_${status}`, message = `The answer has status ${status}.`, details = {} } = refusal.error ?? {};
    super(message);
    this.name = 'RegistryError';
    this.code = code;
    this.status = status;
    this.details = details;
    this.requestId = refusal.request_id ?? requestId;
  }
}

/** Reads the refusal in an answer. */
export async function readRefusal(response: Response): Promise<RegistryError> {
  const text = await response.text();
  return new RegistryError(response.status, parseRefusal(text), response.headers.get('x-request-id'));
}

function parseRefusal(text: string): Partial<Refusal> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
