import { checkAll, DomainError, fieldProblem } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { lockForChange } from '../../../platform/database/lock.ts';
import { audit } from '../../audit/index.ts';
import { type ContractTemplate, ContractTemplateEntity } from '../entities.ts';
import { hashText, requireKnownVariables, type TemplateFields } from './create-template.ts';
import { findTemplate } from './find-template.ts';

/**
 * Saves a change of a template as a new version; agreements keep theirs (AGR-9). Unchanged values write nothing.
 * @throws {DomainError} not_found; validation_failed for unknown variables, or when the default template would become inactive
 */
export async function updateTemplate(
  ctx: CommandContext,
  id: number,
  changes: Partial<TemplateFields>,
): Promise<Readonly<ContractTemplate>> {
  const template = await lockForChange(ctx.em, ContractTemplateEntity, { id });
  const current = await findTemplate(ctx.db, id);
  if (!template || !current) throw new DomainError('not_found');
  const { title = current.title, body = current.body, active = current.isActive } = changes;
  await checkAll(
    () => requireKnownVariables(body),
    () => requireActiveDefault(template, active),
  );
  const isOther = { title: title !== current.title, body: body !== current.body, active: active !== current.isActive };
  const changed = Object.entries(isOther).flatMap(([name, other]) => (other ? [name] : []));
  if (changed.length === 0) return template;

  template.version += 1;
  template.active = active;
  template.updatedAt = ctx.now;
  await ctx.em.flush();
  const { version } = template;
  await ctx.db.insertInto('contract_template_versions').values({ templateId: id, version, title, body, createdAt: ctx.now }).execute();
  await audit(
    ctx,
    'contract_template.updated',
    { kind: 'contract_template', id },
    { version, changed, active, body_sha256: hashText(body) },
  );
  return template;
}

/** Refuses to deactivate the default template, which agreements without a named template use (AGR-9). */
function requireActiveDefault({ isDefault }: Pick<ContractTemplate, 'isDefault'>, active: boolean): void {
  if (isDefault && !active)
    throw fieldProblem('body.active', 'default_template', 'must be true for the default template; change its text instead');
}
