export { registrationsArea } from './area.ts';
