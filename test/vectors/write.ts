import { writeFileSync } from 'node:fs';
import { makeVectors } from '../support/credentials/vectors.ts';

/** `node test/vectors/write.ts`: writes the vectors again after the format has changed. */
writeFileSync(new URL('credentials.json', import.meta.url), `${JSON.stringify(makeVectors(), null, 2)}\n`);
