export { registrationsArea } from './area.ts';
export { RegistrationEntity } from './entities.ts';
