import { createHash } from 'node:crypto';
import { fieldProblem } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { audit } from '../../audit/index.ts';
import { type ContractTemplate, ContractTemplateEntity } from '../entities.ts';
import { findUnknownVariables } from './variables.ts';

/** Largest number of unknown names in one refusal. */
const mostNamed = 50;

/** @throws {DomainError} validation_failed, naming the unknown variables (AGR-9) */
export function requireKnownVariables(body: string): void {
  const unknown = findUnknownVariables(body);
  if (unknown.length === 0) return;
  const named = unknown.slice(0, mostNamed).map((name) => `{{${name}}}`);
  const more = unknown.length > mostNamed ? ` and ${unknown.length - mostNamed} more` : '';
  throw fieldProblem('body.body', 'unknown_variable', `has unknown variables: ${named.join(', ')}${more}`);
}

export interface TemplateFields {
  title: string;
  body: string;
  active: boolean;
}

/**
 * Creates a template with version 1 (AGR-9).
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

/** Hashes a text for the audit. */
export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
