export { reviewOf } from './certificate-review.ts';
export { presentApplication } from './presenter.ts';
export { viewOfApplication } from './process-view.ts';
export { findApplication } from './queries.ts';
export type { ApplicationRecord } from './record.ts';
export { applicationRoutes } from './routes.ts';
export { applicationShape, readinessRule } from './schemas.ts';
