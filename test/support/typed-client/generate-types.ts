import { ts } from '@ts-morph/common';
import { readFile, writeFile } from 'node:fs/promises';
import { registerHooks } from 'node:module';

/**
 * Writes the types of a client as `openapi-typescript` makes them from an OpenAPI document:
 * `node generate-types.ts <document.json> <types.ts>`. It prints its types with the JavaScript API of TypeScript, which TypeScript 7 does
 * not have; it is given that of TypeScript 6 that `@ts-morph/common` carries. (Another version of the package `typescript` would bring a
 * second program named `tsc`.)
 */
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'typescript' && context.parentURL?.includes('/openapi-typescript/')
      ? next(new URL('typescript-api.ts', import.meta.url).href, context)
      : next(specifier, context),
});
const { astToString, default: generate } = await import('openapi-typescript');

const [source = '', target = ''] = process.argv.slice(2);
const blob = ts.factory.createTypeReferenceNode('Blob');
const types = await generate(await readFile(source, 'utf8'), {
  // Where the document has the bytes of a file, a client has a Blob (recipe of openapi-typescript).
  transform: (schema) => ('contentMediaType' in schema ? blob : undefined),
});
await writeFile(target, astToString(types));
