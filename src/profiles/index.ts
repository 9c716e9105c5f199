export { findProfile } from './queries.ts';
export { presentProfile } from './presenter.ts';
export { viewOfProfile, viewProfile } from './process-view.ts';
export { profileRoutes } from './routes.ts';
export { profileShape } from './schemas.ts';
export type { AthleteData, OrganizerData, ProfileData } from './schemas.ts';
export { touchApplicationsOfProfile } from './touch-applications.ts';
