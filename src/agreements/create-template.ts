import { createHash } from 'node:crypto';
import { audit } from '../audit/index.ts';
import type { CommandContext } from '../platform/context.ts';
import { ContractTemplateEntity } from './entities.ts';
import type { ContractTemplate } from './entities.ts';
import { requireKnownVariables } from './require-known-variables.ts';

export interface TemplateFields {
  title: string;
  body: string;
  active: boolean;
}

/**
 * Adds a text that agreements may be made from, as its version 1.
 * @throws {DomainError} validation_failed, naming each unknown variable
 */
export async function createTemplate(ctx: CommandContext, { title, body, active }: TemplateFields): Promise<Readonly<ContractTemplate>> {
  requireKnownVariables(body);
  const { now: createdAt, now: updatedAt } = ctx;
  const template = ctx.em.create(ContractTemplateEntity, { version: 1, active, isDefault: false, createdAt, updatedAt });
  await ctx.em.flush();
  await ctx.db.insertInto('contract_template_versions').values({ templateId: template.id, version: 1, title, body, createdAt }).execute();
  await audit(
    ctx,
    'contract_template.created',
    { kind: 'contract_template', id: template.id },
    { version: 1, active, body_sha256: hashText(body) },
  );
  return template;
}

/** The hash by which the audit knows a text. */
export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
