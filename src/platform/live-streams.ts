import type { Readable } from 'node:stream';

/** The opener of a live stream, with their session. */
export interface StreamViewer {
  sessionId: string;
  /** Account of the stream's events: under impersonation not the administrator's. */
  userId: number;
  /** Accountable account, for the log. */
  accountableUserId: number;
  requestId: string;
  /** The client's address, IPv6 by its /64 (`networkOf`). */
  network: string;
}

/** The live streams of an API process (NOT-5). */
export interface LiveStreams {
  /**
   * Opens a stream. Sends every event committed after this resolves (NOT-5).
   * @param lastEventId position that the client names
   * @throws {DomainError} rate_limited, when the session, the account or the client's address has as many as it may; service_unavailable
   */
  open(viewer: StreamViewer, lastEventId: string | undefined): Promise<Readable>;
  /** Ends all streams and opens no more. */
  close(): Promise<void>;
}
