import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { LocalizedText } from '../../http/language.ts';
import { referenceTo } from '../../platform/database/reference.ts';
import type { ProfileKind, RequiredDocument } from './kinds.ts';

export type ServiceKind = 'national_certificate' | 'international_licence' | 'document' | 'event_fee';

/** A service that the federation sells. Coefficients are multiples of the MRP (CAT-1). */
export const ServiceEntity = defineEntity({
  name: 'Service',
  tableName: 'services',
  properties: {
    id: p.integer().primary().autoincrement(false),
    code: p.string().length(60),
    kind: p.string().length(40).$type<ServiceKind>(),
    title: p.json<LocalizedText>(),
    category: p.string().length(40).strictNullable(),
    profileKind: p.string().length(20).$type<ProfileKind>(),
    mrp: p.decimal('string').precision(12).scale(4),
    cisMrp: p.decimal('string').precision(12).scale(4).strictNullable(),
    requiredDocuments: p.json<RequiredDocument[]>(),
    insuranceCoverageMrp: p.integer().strictNullable(),
    active: p.boolean().default(true),
    updatedAt: p.datetime(),
  },
  uniques: [{ name: 'services_code_unique', properties: ['code'] }],
  checks: [
    { name: 'services_kind_known', expression: "kind in ('national_certificate', 'international_licence', 'document', 'event_fee')" },
    { name: 'services_mrp_not_negative', expression: 'mrp >= 0 and (cis_mrp is null or cis_mrp >= 0)' },
  ],
});
export type Service = InferEntity<typeof ServiceEntity>;

export const DisciplineEntity = defineEntity({
  name: 'Discipline',
  tableName: 'disciplines',
  properties: {
    id: p.integer().primary().autoincrement(false),
    code: p.string().length(60),
    title: p.json<LocalizedText>(),
    active: p.boolean().default(true),
  },
  uniques: [{ name: 'disciplines_code_unique', properties: ['code'] }],
});
export type Discipline = InferEntity<typeof DisciplineEntity>;

/** The disciplines of a service; a service without any takes no discipline (CAT-8). */
export const ServiceDisciplineEntity = defineEntity({
  name: 'ServiceDiscipline',
  tableName: 'service_disciplines',
  primaryKeys: ['serviceId', 'disciplineId'],
  properties: {
    serviceId: () => referenceTo(ServiceEntity, 'service_id', 'service_disciplines_service_fk').primary(),
    disciplineId: () => referenceTo(DisciplineEntity, 'discipline_id', 'service_disciplines_discipline_fk').primary(),
  },
});

/** The base calculation index (MRP) of a year, in tiyn. */
export const BaseIndexEntity = defineEntity({
  name: 'BaseIndex',
  tableName: 'base_indexes',
  properties: {
    year: p.integer().primary().autoincrement(false),
    amountMinor: p.bigint('number'),
    // True once a submitted application or a fee uses the amount, which is then fixed (CAT-4).
    inUse: p.boolean().default(false),
  },
  checks: [{ name: 'base_indexes_amount_positive', expression: 'amount_minor > 0' }],
});
export type BaseIndex = InferEntity<typeof BaseIndexEntity>;
