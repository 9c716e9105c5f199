import { readerCheck } from '../audit/index.ts';
import type { Import } from './entities.ts';

/** Checks that the caller may read an import: its account, and administrators, audited. */
export const requireImportReader = readerCheck<Readonly<Import>>('import', (record) => record);
