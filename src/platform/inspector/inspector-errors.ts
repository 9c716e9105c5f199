/** The file could not be examined, through no fault of its own. */
export class InspectorUnavailableError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'InspectorUnavailableError';
  }
}

/** One owner has sent more at a time than may wait. */
export class TooManyWaitingError extends Error {
  /** Files of the owner that wait. */
  readonly limit: number;
  constructor(limit: number) {
    super(`${limit} files of this owner are waiting to be examined`);
    this.name = 'TooManyWaitingError';
    this.limit = limit;
  }
}
