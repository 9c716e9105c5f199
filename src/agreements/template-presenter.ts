import type { z } from 'zod';
import { formatDateTime, formatVersion } from '../platform/date-time.ts';
import type { Template } from './find-template.ts';
import type { offeredTemplatesResponse, templateResponse } from './template-schemas.ts';
import { templateVariables } from './template-variables.ts';

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
