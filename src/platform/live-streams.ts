import type { Readable } from 'node:stream';

/** Whoever opens a live stream, and by which session. */
export interface StreamViewer {
  sessionId: string;
  /** Whose account it tells of: under impersonation not the administrator's. */
  userId: number;
  /** Who answers for it, as the log names him. */
  accountableUserId: number;
  requestId: string;
  /** The client's address, IPv6 by its /64 (`networkOf`). */
  network: string;
}

/** The live streams of an API process (NOT-5). */
export interface LiveStreams {
  /**
   * Opens a stream. All that is committed from the moment in which this resolves is told.
   * @param lastEventId where the client had got to, as it says
   * @throws {DomainError} rate_limited, when the session, the account or the client's address has as many as it may; service_unavailable
   */
  open(viewer: StreamViewer, lastEventId: string | undefined): Promise<Readable>;
  /** Ends all of them at once; none is opened any more. */
  close(): Promise<void>;
}
