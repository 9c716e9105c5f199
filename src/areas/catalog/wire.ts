import { z } from 'zod';
import { id, localizedText, printableText, readVersion, tiyn, versionResponse } from '../../http/schemas.ts';
import { formatVersion } from '../../platform/time/date-time.ts';
import type { BaseIndex, Discipline } from './entities.ts';
import { documentTypes, profileKinds, type RequiredDocument } from './kinds.ts';
import { insuranceCoverage, quotePrice } from './price.ts';
import type { BaseIndexOfYear, CatalogService } from './queries.ts';

export const serviceKind = z
  .enum(['national_certificate', 'international_licence', 'document', 'event_fee'])
  .describe('Kind of the service; `event_fee`: the fee of a competition, which its organizer pays');
export const serviceCategory = z.string().nullable().describe('Category or grade; null if the service has none');

const mrpResponse = z
  .object({
    year: z.int().describe('Year from which the index applies'),
    amount_minor: tiyn.describe('Base calculation index (MRP), tiyn'),
  })
  .meta({ id: 'BaseIndex', description: 'MRP: the calculation index of Kazakhstan, by which prices are set' });

const profileKind = z.enum(profileKinds).describe('Kind of profile that may apply');
const active = z.boolean().describe('False: no new applications or competitions; existing ones continue');
const cisText = 'Coefficient of the surcharge for the CIS territory; null if the service does not sell it';
const coverageText = 'Insurance coverage in MRP; null without insurance';

/** The present prices of a service, for information: the amount stored in an application is final (CAT-3). */
const tariff = {
  mrp: z.number().describe('Coefficient of the service: multiples of the MRP'),
  price_kz_minor: tiyn.describe('Price for the home territory, tiyn'),
  price_cis_minor: tiyn.optional().describe('Price with the surcharge for the CIS territory, tiyn; absent if the service does not sell it'),
  insurance_coverage_minor: tiyn.nullable().describe('Insurance coverage, tiyn; not the premium'),
};

export const discipline = z.object({ id, code: z.string(), title: localizedText }).meta({ id: 'Discipline' });

const requiredDocument = z
  .object({
    code: z.enum(['identity_document', ...documentTypes]).describe('The code in `error.details.missing` and in the readiness rules'),
    types: z.array(z.enum(documentTypes)).describe('Any of these types satisfies it'),
    only_minors: z.boolean().describe('Required only of people under 18'),
  })
  .meta({ id: 'RequiredDocument' });

const requiredText = 'Documents that an application must have';
const requiredDocuments = z.array(requiredDocument).describe(requiredText);

export const pricesResponse = z
  .object({
    mrp: mrpResponse,
    services: z.array(
      z
        .object({ id, code: z.string(), kind: serviceKind, title: localizedText, category: serviceCategory, ...tariff })
        .meta({ id: 'ServicePrice' }),
    ),
  })
  .meta({ id: 'PriceList' });

export const catalogResponse = z
  .object({
    mrp: mrpResponse,
    services: z.array(
      z
        .object({
          id,
          code: z.string(),
          kind: serviceKind,
          title: localizedText,
          category: serviceCategory,
          profile_kind: profileKind,
          disciplines: z.array(discipline).describe('If not empty, an application must have `data.discipline_id`'),
          required_documents: requiredDocuments,
          ...tariff,
        })
        .meta({ id: 'Service' }),
    ),
  })
  .meta({ id: 'Catalog' });

export const catalogQuery = z.strictObject({ kind: z.enum(['service']).optional().describe('Part of the catalog') });

/** The catalog as administrators edit it, with inactive services. */
export const editedServiceResponse = z
  .object({
    id,
    code: z.string(),
    kind: serviceKind,
    profile_kind: profileKind,
    title: localizedText,
    category: serviceCategory,
    mrp: tariff.mrp,
    cis_mrp: z.number().nullable().describe(cisText),
    required_documents: requiredDocuments,
    disciplines: z.array(id).describe('Ids of all disciplines of the service, also inactive ones'),
    insurance_coverage_mrp: z.int().nullable().describe(coverageText),
    active,
    updated_at: versionResponse,
  })
  .meta({ id: 'EditedService' });

export const baseIndexResponse = z
  .object({
    year: z.int(),
    amount_minor: tiyn,
    in_use: z.boolean().describe('Whether a submitted application or a fee uses the amount, which is then fixed'),
  })
  .meta({ id: 'EditedBaseIndex' });

export const editedCatalogResponse = z
  .object({
    services: z.array(editedServiceResponse),
    disciplines: z.array(
      discipline.extend({ active: z.boolean().describe('False: not offered any more') }).meta({ id: 'EditedDiscipline' }),
    ),
    base_indexes: z.array(baseIndexResponse).describe('Newest first; a year without its own index uses the newest earlier one'),
  })
  .meta({ id: 'EditedCatalog' });

/** Limits that keep every amount a safe integer: largest coefficient times largest index. */
const largestCoefficient = 100_000;
const largestCoverage = 1_000_000;
const largestIndexMinor = 1_000_000_000;

const coefficient = z
  .number()
  .min(0)
  .max(largestCoefficient)
  .refine((value) => Number(value.toFixed(4)) === value, 'must have at most four decimals');

const editedRequirement = z.strictObject({
  code: requiredDocument.shape.code,
  types: z
    .array(z.enum(documentTypes))
    .min(1)
    .max(documentTypes.length)
    .refine((types) => new Set(types).size === types.length, 'must not name a type twice')
    .describe('Any of these types satisfies it'),
  only_minors: requiredDocument.shape.only_minors,
});

const editedTitle = printableText(300);

/** A whole service with the version that was read; `id`, `code`, `kind` and `profile_kind` are fixed (CAT-5). */
export const updateServiceBody = z
  .strictObject({
    title: z.strictObject({ ru: editedTitle, kk: editedTitle, en: editedTitle }),
    category: printableText(40).nullable(),
    mrp: coefficient.describe('Coefficient: multiples of the MRP, at most four decimals'),
    cis_mrp: coefficient.nullable().describe(cisText),
    required_documents: z
      .array(editedRequirement)
      .max(documentTypes.length + 1)
      .refine((all) => new Set(all.map(({ code }) => code)).size === all.length, 'must not name a code twice')
      .describe(requiredText),
    disciplines: z
      .array(id)
      .max(100)
      .refine((ids) => new Set(ids).size === ids.length, 'must not name a discipline twice')
      .describe('Ids. If not empty, an application must have `data.discipline_id`'),
    insurance_coverage_mrp: z.int().min(0).max(largestCoverage).nullable().describe(coverageText),
    active,
    updated_at: readVersion,
  })
  .meta({ id: 'ServiceChange' });

/** How existing prices follow a change of the catalog (CAT-5). */
export const repricingMeta = z.object({
  drafts: z
    .literal('priced_when_changed_or_submitted')
    .describe('Drafts are priced again when they are changed or submitted; submitted and paid applications keep their price'),
});

export const baseIndexParams = z.strictObject({
  year: z
    .string()
    .regex(/^20\d{2}$/, 'must be a year from 2000 to 2099')
    .transform(Number)
    .meta({ wire: { type: 'integer', minimum: 2000, maximum: 2099, examples: [2026] } }),
});

export const baseIndexBody = z.strictObject({ amount_minor: tiyn.min(1).max(largestIndexMinor) }).meta({ id: 'BaseIndexChange' });

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
export function presentEditedService(service: CatalogService): z.input<typeof editedServiceResponse> {
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
