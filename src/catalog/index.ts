export { currentBaseIndex, findService, listActiveServices } from './queries.ts';
export type { BaseIndexOfYear, CatalogDiscipline, CatalogService } from './queries.ts';
export { catalogRoutes } from './routes.ts';
export { discipline, localizedText, serviceKind } from './schemas.ts';
export { insuranceCoverage, quotePrice } from './price.ts';
export type { InsuranceTerritory, Price, PriceInput, PriceLine } from './price.ts';
