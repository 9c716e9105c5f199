export { documentRoutes } from './routes.ts';
export { presentDocument } from './presenter.ts';
export { listDocumentsOfProfile } from './queries.ts';
export { documentShape } from './schemas.ts';
export { listLinkedApplications } from './touch-linked-applications.ts';
