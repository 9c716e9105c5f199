export { nationalArea } from './area.ts';
export { buildExport } from './build-export.ts';
export { nationalExportProcess } from './process.ts';
