import type { Readable } from 'node:stream';

/** The user of a live stream, with their session. */
export interface StreamViewer {
  sessionId: string;
  /** Account of the stream's events; under impersonation the user's. */
  userId: number;
  /** Accountable account, for the log. */
  accountableUserId: number;
  requestId: string;
  /** The client's address; for IPv6 its /64 (`networkOf`). */
  network: string;
}

/** The live streams of an API process (NOT-5). */
export interface LiveStreams {
  /**
   * Opens a stream. It sends every event that is committed after this resolves (NOT-5).
   * @param lastEventId position that the client names
   * @throws {DomainError} rate_limited when session, account or client address has too many; service_unavailable
   */
  open(viewer: StreamViewer, lastEventId: string | undefined): Promise<Readable>;
  /** Ends all streams and refuses new ones. */
  close(): Promise<void>;
}
