import { isDeepStrictEqual } from 'node:util';
import { DomainError, type FieldProblem, validationFailed } from '../../errors.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { inList } from '../../platform/database/database.ts';
import { lockForChange, requireVersion } from '../../platform/database/lock.ts';
import { definePoint } from '../../platform/extensions.ts';
import { audit } from '../audit/index.ts';
import { requireAdministrator } from '../reviews/index.ts';
import { type Service, ServiceEntity } from './entities.ts';

/** Records of upper areas that depend on services. */
export interface ServiceDependents {
  /** Makes waiting records due after required documents changed (CAT-9), in one statement; the sweeper then drives them in pages. */
  makeDue(ctx: CommandContext, serviceId: number): Promise<void>;
}

export const serviceDependents = definePoint<ServiceDependents>('dependents of a service');

/** The editable fields of a service. Coefficients are decimal strings with four decimals. */
interface ServiceFields extends Pick<
  Service,
  'title' | 'category' | 'mrp' | 'cisMrp' | 'requiredDocuments' | 'insuranceCoverageMrp' | 'active'
> {
  disciplineIds: number[];
}

/**
 * Sets a service of the catalog (CAT-5). Writes nothing when no field changes.
 * @param readAt `updated_at` that the administrator read
 * @throws {DomainError} forbidden; not_found; stale_revision; validation_failed, naming each unknown discipline
 */
export async function updateService(
  ctx: CommandContext,
  id: number,
  { disciplineIds, ...fields }: ServiceFields,
  readAt: Date,
): Promise<void> {
  requireAdministrator(ctx);
  const service = await lockForChange(ctx.em, ServiceEntity, { id });
  if (!service) throw new DomainError('not_found');
  requireVersion(service, readAt);
  await requireDisciplines(ctx, disciplineIds);
  const linked = await ctx.db.selectFrom('service_disciplines').select('disciplineId').where('serviceId', '=', id).execute();
  const isSameSet = isDeepStrictEqual(new Set(linked.map(({ disciplineId }) => disciplineId)), new Set(disciplineIds));
  const changed = [
    ...names.filter((name) => !isDeepStrictEqual(service[name], fields[name])).map((name) => wireNames[name]),
    ...(isSameSet ? [] : ['disciplines']),
  ];
  if (changed.length === 0) return;

  Object.assign(service, fields);
  service.updatedAt = ctx.now;
  if (!isSameSet) await link(ctx, id, disciplineIds);
  await audit(ctx, 'service.updated', { kind: 'service', id }, { changed });
  if (changed.includes('required_documents')) {
    await ctx.em.flush();
    for (const { makeDue } of ctx.extensions.of(serviceDependents)) await makeDue(ctx, id);
  }
}

const wireNames = {
  title: 'title',
  category: 'category',
  mrp: 'mrp',
  cisMrp: 'cis_mrp',
  requiredDocuments: 'required_documents',
  insuranceCoverageMrp: 'insurance_coverage_mrp',
  active: 'active',
} as const satisfies Record<Exclude<keyof ServiceFields, 'disciplineIds'>, string>;
const names = ['title', 'category', 'mrp', 'cisMrp', 'requiredDocuments', 'insuranceCoverageMrp', 'active'] as const;

/** @throws {DomainError} validation_failed, naming each unknown discipline */
async function requireDisciplines({ db }: Pick<CommandContext, 'db'>, ids: readonly number[]): Promise<void> {
  const rows = await db.selectFrom('disciplines').select('id').where('id', '=', inList(ids)).execute();
  const known = new Set(rows.map(({ id }) => id));
  const problems = ids.flatMap((id, index): FieldProblem[] =>
    known.has(id) ? [] : [{ path: `body.disciplines.${index}`, code: 'not_found', message: 'is not an existing discipline' }],
  );
  if (problems.length > 0) throw validationFailed(problems);
}

/** Replaces the disciplines of a service. */
async function link({ db }: CommandContext, serviceId: number, disciplineIds: readonly number[]): Promise<void> {
  await db.deleteFrom('service_disciplines').where('serviceId', '=', serviceId).execute();
  if (disciplineIds.length === 0) return;
  await db
    .insertInto('service_disciplines')
    .values(disciplineIds.map((disciplineId) => ({ serviceId, disciplineId })))
    .execute();
}
