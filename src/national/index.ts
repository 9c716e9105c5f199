export { nationalArea } from './area.ts';
