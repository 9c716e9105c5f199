import type { Area } from '../../http/define-area.ts';
import { extend } from '../../platform/extensions.ts';
import { impersonalRecords } from '../../platform/personal-data.ts';
import { type ChangedRecord, changedRecords } from '../changes/index.ts';
import { catalogImpersonalRecords } from './personal-data.ts';
import { catalogRoutes, editingRoutes } from './routes.ts';

/** The catalog in the log of changes, which only administrators read in full; `GET /catalog` shows it to all. */
const catalogChanges: readonly ChangedRecord[] = [
  { record: 'service', path: () => '/admin/catalog' },
  { record: 'base_index', path: () => '/admin/catalog' },
];

/** The services of the federation with prices and required documents. */
export const catalogArea: Area = {
  processes: [],
  extensions: [extend(changedRecords, catalogChanges), extend(impersonalRecords, catalogImpersonalRecords)],
  routes: () => [...catalogRoutes, ...editingRoutes],
};

export { DisciplineEntity, ServiceEntity, type ServiceKind } from './entities.ts';
export { type DocumentType, documentTypes, documentTypeTitles, type ProfileKind, profileKinds, type RequiredDocument } from './kinds.ts';
export { insuranceCoverage, type InsuranceTerritory, type PriceLine, quotePrice } from './price.ts';
export {
  type CatalogDiscipline,
  type CatalogService,
  baseIndexOf,
  findBaseIndex,
  findService,
  findTariff,
  takeTariff,
  type Tariff,
} from './queries.ts';
export { adultAge, comesOfAgeOn, countsOn, countsUntil, requiredOn, type Requirements } from './required-documents.ts';
export { seedCatalog } from './seed.ts';
export { type ServiceDependents, serviceDependents } from './update-service.ts';
export { discipline, serviceCategory, serviceKind } from './wire.ts';
