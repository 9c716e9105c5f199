export { nationalArea } from './area.ts';
export { buildExport } from './build-export.ts';
