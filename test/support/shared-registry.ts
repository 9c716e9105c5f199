/** The registry that the files of a test process share: its database, and whether the present file uses it (`use-registry.ts`). */
export const sharedRegistry: { database: string | null; isUsed: boolean } = { database: null, isUsed: false };
