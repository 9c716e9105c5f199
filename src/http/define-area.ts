import type { Extension, Extensions } from '../platform/extensions.ts';
import type { ProcessDefinition } from '../platform/workflows/define-process.ts';
import type { Route } from './define-route.ts';

/** What one area adds to the service. Its `index.ts` exports it, and `src/registry/areas.ts` lists all. */
export interface Area {
  /** Its processes. */
  processes: readonly ProcessDefinition[];
  /** Its extensions of other areas (`src/platform/extensions.ts`). */
  extensions: readonly Extension[];
  /** Its routes; created after all extensions are registered. */
  routes(extensions: Extensions): readonly Route[];
}
