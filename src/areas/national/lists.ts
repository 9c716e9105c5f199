/** Records of a list, and of one operation on it (service.md "Limits"). */
export const mostInList = 200;

/** The personal lists of an administrator (service.md "National certificate lists"). */
export const nationalLists = ['review', 'insurance', 'print'] as const;
export type NationalList = (typeof nationalLists)[number];

/** Those that a file is made of. */
export const exportLists = ['insurance', 'print'] as const satisfies readonly NationalList[];
export type ExportList = (typeof exportLists)[number];

export const exportStatuses = ['pending', 'ready', 'failed'] as const;
export type ExportStatus = (typeof exportStatuses)[number];
