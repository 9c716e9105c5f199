export { sandboxArea } from './area.ts';
