/** Largest number of records in a list and in one operation on it (NAT-1). */
export const mostInList = 200;

/** The personal lists of an administrator (NAT-1). */
export const nationalLists = ['review', 'insurance', 'print'] as const;
export type NationalList = (typeof nationalLists)[number];

/** The lists that can be exported to a file. */
export const exportLists = ['insurance', 'print'] as const satisfies readonly NationalList[];
export type ExportList = (typeof exportLists)[number];

export const exportStatuses = ['pending', 'ready', 'failed'] as const;
export type ExportStatus = (typeof exportStatuses)[number];
