export { documentRoutes } from './routes.ts';
export { presentDocument } from './presenter.ts';
export { viewDocument } from './process-view.ts';
export { findDocument, listDocumentsOfProfile } from './queries.ts';
export { documentShape } from './schemas.ts';
export { hasLapsed } from './states.ts';
