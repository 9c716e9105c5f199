/** An answered request of a signed-in caller. Names the route, never values of its path, query or body. */
export interface RequestRecord {
  /** The accountable account; under impersonation the administrator. */
  userId: number;
  /** Null for a browser. */
  keyId: number | null;
  requestId: string;
  method: string;
  route: string;
  status: number;
  /** Error code of a refusal. */
  code: string | null;
  durationMs: number;
  at: Date;
}

/** Records requests for their callers and for administrators (ACC-33). */
export interface RequestRecords {
  /** Returns at once and never throws, so that no request waits for it. */
  record(request: RequestRecord): void;
  /** Writes what waits. */
  close(): Promise<void>;
}
