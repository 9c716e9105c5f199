export { findProfile } from './queries.ts';
export { presentProfile } from './presenter.ts';
export { profileRoutes } from './routes.ts';
export { profileShape } from './schemas.ts';
