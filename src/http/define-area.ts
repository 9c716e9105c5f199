import type { Extension, Extensions } from '../platform/extensions.ts';
import type { ProcessDefinition } from '../platform/workflows/define-process.ts';
import type { Route } from './define-route.ts';

/** What one area brings to the whole service. Its `area.ts` has it, its `index.ts` exports it, and `src/areas.ts` lists them all. */
export interface Area {
  /** Its processes; `[]` where nothing of it waits. */
  processes: readonly ProcessDefinition[];
  /** Its parts of what the areas below it ask (`src/platform/extensions.ts`). */
  extensions: readonly Extension[];
  /** Its routes; what the areas above it entered is known by then. */
  routes(extensions: Extensions): readonly Route[];
}
