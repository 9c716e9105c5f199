import { z } from 'zod';
import { id, localizedText, tiyn } from '../http/schemas.ts';
import { documentTypes, profileKinds } from './kinds.ts';

export const serviceKind = z.enum(['national_certificate', 'international_licence', 'document', 'event_fee']);
const category = z.string().nullable().meta({ description: 'Category or grade, null where the service has none' });

export const mrpResponse = z
  .object({
    year: z.int().meta({ description: 'Year from which the index is in force' }),
    amount_minor: tiyn.meta({ description: 'Base calculation index (MRP), tiyn' }),
  })
  .meta({ id: 'BaseIndex' });

/** What the tariff of a service comes to now; informational: the amount stored in an application is final. */
const tariff = {
  mrp: z.number().meta({ description: 'Coefficient of the service: multiples of the MRP' }),
  price_kz_minor: tiyn.meta({ description: 'Price for the home territory, tiyn' }),
  price_cis_minor: tiyn
    .optional()
    .meta({ description: 'Full price for the CIS territory, tiyn; present only if the territory is allowed' }),
  insurance_coverage_minor: tiyn.nullable().meta({ description: 'Size of the insurance coverage, tiyn; not the premium' }),
};

export const discipline = z.object({ id, code: z.string(), title: localizedText }).meta({ id: 'Discipline' });

const requiredDocument = z
  .object({
    code: z.enum(['identity_document', ...documentTypes]).meta({ description: 'As it stands in `error.details.missing` and in readiness' }),
    types: z.array(z.enum(documentTypes)).meta({ description: 'Any of these types satisfies it' }),
    only_minors: z.boolean().meta({ description: 'Asked only of people under 18' }),
  })
  .meta({ id: 'RequiredDocument' });

export const pricesResponse = z
  .object({
    mrp: mrpResponse,
    services: z.array(
      z.object({ id, code: z.string(), kind: serviceKind, title: localizedText, category, ...tariff }).meta({ id: 'ServicePrice' }),
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
          category,
          profile_kind: z.enum(profileKinds).meta({ description: 'Kind of profile that may apply' }),
          disciplines: z.array(discipline).meta({ description: 'Where it is not empty, `data.discipline_id` is required' }),
          required_documents: z.array(requiredDocument),
          ...tariff,
        })
        .meta({ id: 'Service' }),
    ),
  })
  .meta({ id: 'Catalog' });

export const catalogQuery = z.strictObject({ kind: z.enum(['service']).optional().meta({ description: 'Part of the catalog' }) });
