import { z } from 'zod';
import { dateTimeResponse, id, printableLines, printableText, printedWords, versionResponse } from '../../../http/schemas.ts';
import { formatDateTime, formatVersion } from '../../../platform/time/date-time.ts';
import type { Template } from './find-template.ts';
import { templateVariables } from './variables.ts';

/** Longest text of a template, characters; the default template has about 4,600. */
export const longestBody = 40_000;

const body = printableLines(longestBody)
  .transform((text) => text.replaceAll('\r\n', '\n').replaceAll('\r', '\n'))
  .meta({
    wire: {
      type: 'string',
      minLength: 1,
      maxLength: longestBody,
      description: `${printedWords}. Plain text with variables. An empty line ends a paragraph. \`# \` begins a heading, \`## \` a smaller one. Variables: ${templateVariables.map((name) => `\`{{${name}}}\``).join(' ')}`,
    },
  });
const active = z.boolean().describe('Whether new agreements may use it; the default template stays active');

export const createTemplateBody = z
  .strictObject({ title: printableText(200), body, active: active.default(true) })
  .meta({ id: 'NewContractTemplate' });
export const updateTemplateBody = z
  .strictObject({ title: printableText(200).optional(), body: body.optional(), active: active.optional() })
  .meta({ id: 'ContractTemplateChange' });

const version = z.int().describe('1 for the first text; each change adds 1');

/** The templates that organizers choose from. */
export const offeredTemplatesResponse = z
  .object({
    templates: z.array(z.object({ id, title: z.string(), version }).meta({ id: 'OfferedContractTemplate' })),
    variables: z.array(z.string()).meta({ description: 'As written in a text', examples: [['{{DOCUMENT_NUMBER}}']] }),
  })
  .meta({ id: 'OfferedContractTemplates' });

export const templateResponse = z
  .object({
    id,
    title: z.string(),
    body: z.string().describe('Text with variables'),
    version,
    active,
    is_default: z.boolean().describe('Used when an agreement names no template'),
    created_at: dateTimeResponse,
    updated_at: versionResponse,
  })
  .meta({ id: 'ContractTemplate' });

export function presentOfferedTemplates(
  templates: readonly Pick<Template, 'id' | 'title' | 'version'>[],
): z.input<typeof offeredTemplatesResponse> {
  return {
    templates: templates.map(({ id, title, version }) => ({ id, title, version })),
    variables: templateVariables.map((name) => `{{${name}}}`),
  };
}

export function presentTemplate(template: Template): z.input<typeof templateResponse> {
  return {
    id: template.id,
    title: template.title,
    body: template.body,
    version: template.version,
    active: template.isActive,
    is_default: template.isDefault,
    created_at: formatDateTime(template.createdAt),
    updated_at: formatVersion(template.updatedAt),
  };
}
