/**
 * Gives `openapi-typescript` the TypeScript 6 that `@ts-morph/common` carries: it prints types with the JavaScript API of TypeScript, which
 * TypeScript 7 does not have. (Another version of the package `typescript` would bring a second program named `tsc`.) Import it first.
 */
import { ts } from '@ts-morph/common';
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'typescript' && context.parentURL?.includes('/openapi-typescript/')
      ? { url: import.meta.url, shortCircuit: true }
      : next(specifier, context),
});
// What `openapi-typescript` imports as the default of `typescript`.
// oxlint-disable-next-line import/no-default-export
export default ts;
