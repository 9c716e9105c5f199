// What openapi-typescript imports as the default of `typescript`; see generate-types.ts.
// oxlint-disable-next-line import/no-default-export
export { ts as default } from '@ts-morph/common';
