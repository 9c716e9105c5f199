import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { LocalizedText } from '../../http/language.ts';
import { databaseOf, json } from '../../platform/database/database.ts';
import type { Service } from './entities.ts';
import type { RequiredDocument } from './kinds.ts';

/**
 * The catalog of a new registry. The seed only adds missing rows and keeps an administrator's edits, so it may run at every start.
 */

interface SeededService extends Omit<Service, 'active' | 'updatedAt'> {
  disciplines: number[];
}

const identityDocument: RequiredDocument = { code: 'identity_document', types: ['identity', 'passport'], onlyMinors: false };
const medical: RequiredDocument = { code: 'medical', types: ['medical'], onlyMinors: false };
const consent: RequiredDocument = { code: 'consent', types: ['consent'], onlyMinors: true };
const driver: RequiredDocument = { code: 'driver', types: ['driver'], onlyMinors: false };
const organization: RequiredDocument = { code: 'organization', types: ['organization'], onlyMinors: false };

const disciplines: { id: number; code: string; title: LocalizedText }[] = [
  { id: 1, code: 'rally', title: { ru: 'Ралли', kk: 'Ралли', en: 'Rally' } },
  { id: 2, code: 'circuit', title: { ru: 'Кольцевые гонки', kk: 'Шеңберлі жарыстар', en: 'Circuit racing' } },
  { id: 3, code: 'karting', title: { ru: 'Картинг', kk: 'Картинг', en: 'Karting' } },
  { id: 4, code: 'drift', title: { ru: 'Дрифт', kk: 'Дрифт', en: 'Drift' } },
  { id: 5, code: 'trophy_raid', title: { ru: 'Трофи-рейды', kk: 'Трофи-рейдтер', en: 'Trophy raid' } },
];

const services: SeededService[] = [
  {
    id: 1,
    code: 'national_certificate_a',
    kind: 'national_certificate',
    category: 'A',
    profileKind: 'athlete',
    title: { ru: 'Национальный сертификат, категория A', kk: 'Ұлттық сертификат, A санаты', en: 'National certificate, category A' },
    mrp: '2',
    cisMrp: '1',
    requiredDocuments: [identityDocument, medical, consent],
    insuranceCoverageMrp: 500,
    disciplines: [],
  },
  {
    id: 2,
    code: 'national_certificate_b',
    kind: 'national_certificate',
    category: 'B',
    profileKind: 'athlete',
    title: {
      ru: 'Национальный сертификат, категория B (водитель)',
      kk: 'Ұлттық сертификат, B санаты (жүргізуші)',
      en: 'National certificate, category B (driver)',
    },
    mrp: '3.5',
    cisMrp: '1.75',
    requiredDocuments: [identityDocument, medical, consent, driver],
    insuranceCoverageMrp: 1000,
    disciplines: [1, 2, 4, 5],
  },
  {
    id: 3,
    code: 'national_certificate_k',
    kind: 'national_certificate',
    category: 'K',
    profileKind: 'athlete',
    title: { ru: 'Национальный сертификат, картинг', kk: 'Ұлттық сертификат, картинг', en: 'National certificate, karting' },
    mrp: '1.3333',
    cisMrp: null,
    requiredDocuments: [identityDocument, medical, consent],
    insuranceCoverageMrp: 300,
    disciplines: [3],
  },
  {
    id: 10,
    code: 'international_licence_c',
    kind: 'international_licence',
    category: 'C',
    profileKind: 'athlete',
    title: { ru: 'Международная лицензия, категория C', kk: 'Халықаралық лицензия, C санаты', en: 'International licence, grade C' },
    mrp: '20',
    cisMrp: null,
    requiredDocuments: [identityDocument, medical, driver],
    insuranceCoverageMrp: null,
    disciplines: [1, 2, 3, 4, 5],
  },
  {
    id: 20,
    code: 'membership_card',
    kind: 'document',
    category: null,
    profileKind: 'athlete',
    title: { ru: 'Членский билет федерации', kk: 'Федерация мүшелік билеті', en: 'Federation membership card' },
    mrp: '0.5',
    cisMrp: null,
    requiredDocuments: [identityDocument],
    insuranceCoverageMrp: null,
    disciplines: [],
  },
  {
    id: 21,
    code: 'organizer_accreditation',
    kind: 'document',
    category: null,
    profileKind: 'organizer',
    title: { ru: 'Аккредитация организатора', kk: 'Ұйымдастырушыны аккредиттеу', en: 'Organizer accreditation' },
    mrp: '10',
    cisMrp: null,
    requiredDocuments: [organization],
    insuranceCoverageMrp: null,
    disciplines: [],
  },
  {
    id: 30,
    code: 'event_fee_republic',
    kind: 'event_fee',
    category: 'republic',
    profileKind: 'organizer',
    title: {
      ru: 'Взнос за соревнование республиканского уровня',
      kk: 'Республикалық деңгейдегі жарыс жарнасы',
      en: 'Fee of a republic-level competition',
    },
    mrp: '30',
    cisMrp: null,
    requiredDocuments: [],
    insuranceCoverageMrp: null,
    disciplines: [1, 2, 3, 4, 5],
  },
];

/** MRP by year, tiyn. A year without its own row uses the newest before it (CAT-1). */
const baseIndexes = [
  { year: 2025, amountMinor: 393_200 },
  { year: 2026, amountMinor: 432_500 },
];

/**
 * Adds missing rows of the catalog in one transaction, so that no service is visible without its disciplines.
 * @idempotent adds missing rows, changes no existing one
 */
export async function seedCatalog(em: EntityManager): Promise<void> {
  await em.transactional(async (transaction) => {
    const db = databaseOf(transaction);
    await db
      .insertInto('base_indexes')
      .values(baseIndexes)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await db
      .insertInto('disciplines')
      .values(disciplines.map(({ title, ...discipline }) => ({ ...discipline, title: json(title), active: true })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const added = await db
      .insertInto('services')
      .values(
        services.map((service) => {
          const { disciplines: _disciplines, ...row } = service;
          const [title, requiredDocuments] = [json(row.title), json(row.requiredDocuments)];
          return { ...row, title, requiredDocuments, active: true, updatedAt: sql<Date>`now()` };
        }),
      )
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .execute();
    const links = services
      .filter(({ id }) => added.some((row) => row.id === id))
      .flatMap(({ id, disciplines: disciplineIds }) => disciplineIds.map((disciplineId) => ({ serviceId: id, disciplineId })));
    if (links.length > 0)
      await db
        .insertInto('service_disciplines')
        .values(links)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
  });
}
