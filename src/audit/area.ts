import type { Area } from '../http/define-area.ts';

/** The trail: it is written by the commands of all areas and read by administrators. */
export const auditArea: Area = { processes: [], extensions: [], routes: () => [] };
