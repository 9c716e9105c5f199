import type { z } from 'zod';
import { formatVersion } from '../platform/date-time.ts';
import type { BaseIndex, Discipline } from './entities.ts';
import { insuranceCoverage, quotePrice } from './price.ts';
import type { BaseIndexOfYear, CatalogService, EditedService } from './queries.ts';
import type { RequiredDocument } from './required-documents.ts';
import type { baseIndexResponse, catalogResponse, editedServiceResponse, pricesResponse } from './schemas.ts';

export function presentPrices(services: CatalogService[], mrp: BaseIndexOfYear): z.input<typeof pricesResponse> {
  return { mrp: presentMrp(mrp), services: services.map((service) => ({ ...presentIdentity(service), ...presentTariff(service, mrp) })) };
}

export function presentCatalog(services: CatalogService[], mrp: BaseIndexOfYear): z.input<typeof catalogResponse> {
  return {
    mrp: presentMrp(mrp),
    services: services.map((service) => ({
      ...presentIdentity(service),
      profile_kind: service.profileKind,
      disciplines: service.disciplines,
      required_documents: service.requiredDocuments.map(presentRequirement),
      ...presentTariff(service, mrp),
    })),
  };
}

/** A service as administrators edit it. */
export function presentEditedService(service: EditedService): z.input<typeof editedServiceResponse> {
  return {
    ...presentIdentity(service),
    profile_kind: service.profileKind,
    mrp: Number(service.mrp),
    cis_mrp: service.cisMrp === null ? null : Number(service.cisMrp),
    required_documents: service.requiredDocuments.map(presentRequirement),
    disciplines: service.disciplineIds,
    insurance_coverage_mrp: service.insuranceCoverageMrp,
    active: service.isActive,
    updated_at: formatVersion(service.updatedAt),
  };
}

export function presentDiscipline({ id, code, title, active }: Discipline) {
  return { id, code, title, active };
}

export function presentBaseIndex({ year, amountMinor, inUse }: BaseIndex): z.input<typeof baseIndexResponse> {
  return { year, amount_minor: amountMinor, in_use: inUse };
}

function presentRequirement({ code, types, onlyMinors }: RequiredDocument) {
  return { code, types, only_minors: onlyMinors };
}

function presentMrp({ year, amountMinor }: BaseIndexOfYear) {
  return { year, amount_minor: amountMinor };
}

function presentIdentity({ id, code, kind, title, category }: Pick<CatalogService, 'id' | 'code' | 'kind' | 'title' | 'category'>) {
  return { id, code, kind, title, category };
}

function presentTariff({ mrp, cisMrp, insuranceCoverageMrp }: CatalogService, { amountMinor: mrpMinor }: BaseIndexOfYear) {
  const price = (territory: 'KZ' | 'CIS') => quotePrice({ mrpMinor, mrp, cisMrp, territory }).amountMinor;
  return {
    mrp: Number(mrp),
    price_kz_minor: price('KZ'),
    ...(cisMrp === null ? {} : { price_cis_minor: price('CIS') }),
    insurance_coverage_minor: insuranceCoverage(insuranceCoverageMrp, mrpMinor),
  };
}
