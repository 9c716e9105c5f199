/**
 * Every change to a workflow of released histories, by its `patched()` name (docs/changing-things.md). Remove one in two steps when every
 * running process has it (search `TemporalChangeVersion`): first `deprecatePatch()`, then delete.
 */
export const patches = {} as const;
