/** The file could not be examined, through no fault of its own. */
export class InspectorUnavailableError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'InspectorUnavailableError';
  }
}

/** One owner or network has used all the time of the inspector that it may. */
export class InspectionBudgetError extends Error {
  /** Until files are examined for it again, milliseconds. */
  readonly restMs: number;
  constructor(restMs: number) {
    super('the inspection time of this owner is used up');
    this.name = 'InspectionBudgetError';
    this.restMs = restMs;
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
