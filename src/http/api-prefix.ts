/** Where the versioned API stands (service.md "Versioning"). */
export const apiPrefix = '/api/v1';
