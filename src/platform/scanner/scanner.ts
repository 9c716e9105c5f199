/** A virus scanner's verdict; `signature` names what it found. */
export type ScanVerdict = { isInfected: false } | { isInfected: true; signature: string };

/** Scans uploads for viruses. */
export interface Scanner {
  /**
   * @param path of the file
   * @param signal gives up when it is aborted
   * @throws {ScannerUnavailableError} when there is no verdict: the file must not be kept then
   * @throws the reason of `signal`, when it is aborted
   */
  scan(path: string, signal?: AbortSignal): Promise<ScanVerdict>;
}

/** The scanner is away, silent, or did not scan the whole file. */
export class ScannerUnavailableError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ScannerUnavailableError';
  }
}
