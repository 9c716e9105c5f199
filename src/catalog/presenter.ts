import type { z } from 'zod';
import { insuranceCoverage, quotePrice } from './price.ts';
import type { BaseIndexOfYear, CatalogService } from './queries.ts';
import type { catalogResponse, pricesResponse } from './schemas.ts';

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
      required_documents: service.requiredDocuments.map(({ code, types, onlyMinors }) => ({ code, types, only_minors: onlyMinors })),
      ...presentTariff(service, mrp),
    })),
  };
}

function presentMrp({ year, amountMinor }: BaseIndexOfYear) {
  return { year, amount_minor: amountMinor };
}

function presentIdentity({ id, code, kind, title, category }: CatalogService) {
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
