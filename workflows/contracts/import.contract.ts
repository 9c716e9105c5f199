import { defineContract } from './process.contract.ts';

/** An import of many rows, from the request until its outcome is deleted; workflow id `import/{id}`. */
export const importContract = defineContract({
  kind: 'import',
  workflow: 'importRows',
  queue: 'competitions',
  commands: {},
});
