/** Path prefix of the versioned API. */
export const apiPrefix = '/api/v1';
