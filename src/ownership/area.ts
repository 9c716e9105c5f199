import type { Area } from '../http/define-area.ts';

/** The transfer of a profile, with all that stands on it, from one account to another. */
export const ownershipArea: Area = {
  processes: [],
  extensions: [],
  routes: () => [],
};
