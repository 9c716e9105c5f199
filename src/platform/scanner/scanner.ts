/** A virus scanner's verdict; `signature` names the virus. */
export type ScanVerdict = { isInfected: false } | { isInfected: true; signature: string };

/** Scans uploads for viruses. */
export interface Scanner {
  /**
   * @param path of the file
   * @param signal aborts the scan
   * @throws {ScannerUnavailableError} without a verdict; the file must not be stored
   * @throws the reason of `signal` when aborted
   */
  scan(path: string, signal?: AbortSignal): Promise<ScanVerdict>;
}

/** The scanner is unavailable, silent, or did not scan the whole file. */
export class ScannerUnavailableError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ScannerUnavailableError';
  }
}
