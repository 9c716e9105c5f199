export { ownershipArea } from './area.ts';
