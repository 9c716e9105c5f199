import type { Extension, Extensions } from '../platform/extensions.ts';
import type { ProcessDefinition } from '../platform/workflows/define-process.ts';
import type { Route } from './define-route.ts';

/** What one area adds to the service. Its `area.ts` defines it, its `index.ts` exports it, and `src/areas.ts` lists all. */
export interface Area {
  /** Its processes; `[]` when no record of it waits. */
  processes: readonly ProcessDefinition[];
  /** Its entries in extension points of other areas (`src/platform/extensions.ts`). */
  extensions: readonly Extension[];
  /** Its routes, built after all areas entered their extensions. */
  routes(extensions: Extensions): readonly Route[];
}
