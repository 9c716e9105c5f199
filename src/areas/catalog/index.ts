import type { Area } from '../../http/define-area.ts';
import { editingRoutes, catalogRoutes } from './routes.ts';

/** The services of the federation with prices and required documents. */
export const catalogArea: Area = {
  processes: [],
  extensions: [],
  routes: () => [...catalogRoutes, ...editingRoutes],
};

export { serviceDependents } from './update-service.ts';
export type { ServiceDependents } from './update-service.ts';
export { documentTypeTitles } from './kinds.ts';
export { DisciplineEntity, ServiceEntity } from './entities.ts';
export type { ServiceKind } from './entities.ts';
export { documentTypes, profileKinds } from './kinds.ts';
export type { DocumentType, ProfileKind } from './kinds.ts';
export { insuranceCoverage, quotePrice } from './price.ts';
export type { InsuranceTerritory, PriceLine } from './price.ts';
export { currentBaseIndex, findService, findTariff } from './queries.ts';
export type { CatalogDiscipline, CatalogService, Tariff } from './queries.ts';
export type { RequiredDocument } from './kinds.ts';
export { discipline, serviceKind } from './wire.ts';
export { seedCatalog } from './seed.ts';
export { takeTariff } from './queries.ts';
