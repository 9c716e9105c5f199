/** What a virus scanner says of a file; `signature` is its name for what it found. */
export type ScanVerdict = { isInfected: false } | { isInfected: true; signature: string };

/** Looks for viruses in what people send. */
export interface Scanner {
  /**
   * @param path of the file
   * @param signal gives up when it is aborted
   * @throws {ScannerUnavailableError} when there is no verdict: the file must not be kept then
   * @throws the reason of `signal`, when it is aborted
   */
  scan(path: string, signal?: AbortSignal): Promise<ScanVerdict>;
}

/** The scanner is away, silent, or has not looked at the whole file. */
export class ScannerUnavailableError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ScannerUnavailableError';
  }
}
