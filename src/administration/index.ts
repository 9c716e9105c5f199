export { audit } from './audit.ts';
export { describeProcess, processShape } from './describe-process.ts';
export { administrationRoutes } from './routes.ts';
