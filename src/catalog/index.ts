export { currentBaseIndex, findService } from './queries.ts';
export type { CatalogService } from './queries.ts';
export { catalogRoutes } from './routes.ts';
export { discipline, serviceKind } from './schemas.ts';
export { insuranceCoverage, quotePrice } from './price.ts';
export type { InsuranceTerritory, PriceLine } from './price.ts';
