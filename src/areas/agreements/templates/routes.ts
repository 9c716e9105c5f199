import { z } from 'zod';
import { DomainError } from '../../../errors.ts';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { created, ok, page } from '../../../http/response/reply.ts';
import { idParams, listMeta, pagingQuery } from '../../../http/schemas.ts';
import { commit, query as runQuery } from '../../../platform/commands/command.ts';
import type { Platform } from '../../../platform/platform.ts';
import { createTemplate } from './create-template.ts';
import { findTemplate, listActiveTemplates, listTemplates } from './find-template.ts';
import { updateTemplate } from './update-template.ts';
import {
  createTemplateBody,
  longestBody,
  offeredTemplatesResponse,
  presentOfferedTemplates,
  presentTemplate,
  templateResponse,
  updateTemplateBody,
} from './wire.ts';

const tag = 'Agreements';

/** Routes of templates: organizers choose one, administrators write them (AGR-9). */
export const templateRoutes: Route[] = [
  defineRoute({
    name: 'listContractTemplates',
    method: 'GET',
    path: '/contract-templates',
    access: access.scope('events:read'),
    tag,
    summary: 'List active agreement templates and the variables of their texts',
    response: { data: offeredTemplatesResponse },
    handler: async ({ platform }) => ok(presentOfferedTemplates(await runQuery(platform, listActiveTemplates))),
  }),
  defineRoute({
    name: 'listAllContractTemplates',
    method: 'GET',
    path: '/admin/contract-templates',
    access: access.administrator('admin:read'),
    tag,
    summary: 'List all agreement templates with their texts, also inactive ones',
    request: { query: pagingQuery },
    response: { data: z.array(templateResponse), meta: listMeta },
    handler: async ({ platform, query }) => {
      const { rows, total } = await runQuery(platform, (db) => listTemplates(db, query));
      return page(rows.map(presentTemplate), total, query);
    },
  }),
  defineRoute({
    name: 'getContractTemplate',
    method: 'GET',
    path: '/admin/contract-templates/:id',
    access: access.administrator('admin:read'),
    tag,
    summary: 'Get the newest version of an agreement template',
    request: { params: idParams },
    response: { data: templateResponse },
    handler: async ({ platform, params }) => ok(await showTemplate(platform, params.id)),
  }),
  defineRoute({
    name: 'createContractTemplate',
    method: 'POST',
    path: '/admin/contract-templates',
    access: access.administrator('admin:write'),
    tag,
    summary: 'Create an agreement template',
    description: 'An unknown variable is refused with `unknown_variable`; the message names each.',
    longestText: longestBody,
    request: {
      body: createTemplateBody,
      example: {
        title: 'Договор о проведении соревнования',
        body: '# Договор № {{DOCUMENT_NUMBER}}\n\n{{ORGANIZER_NAME}} проводит «{{EVENT_TITLE}}», {{EVENT_DATES}}, {{EVENT_LOCATION}}.\n\n{{FEDERATION_SIGNER_NAME}} {{FEDERATION_SIGNATURE}} {{FEDERATION_STAMP}}',
        active: true,
      },
    },
    response: { status: 201, location: '/admin/contract-templates/:id', data: templateResponse },
    links: { getContractTemplate: { id: 'id' }, updateContractTemplate: { id: 'id' } },
    handler: async ({ platform, caller, body }) => {
      const { id } = await commit(platform, caller, (ctx) => createTemplate(ctx, body));
      return created(await showTemplate(platform, id), `/admin/contract-templates/${id}`);
    },
  }),
  defineRoute({
    name: 'updateContractTemplate',
    method: 'PATCH',
    path: '/admin/contract-templates/:id',
    access: access.administrator('admin:write'),
    tag,
    summary: 'Change an agreement template',
    description:
      'Each change is a new version; agreements keep their version. An absent field does not change. The default template stays active: 422 `default_template`.',
    longestText: longestBody,
    request: { params: idParams, body: updateTemplateBody, example: { title: 'Договор о проведении соревнования, 2027', active: false } },
    response: { data: templateResponse },
    handler: async ({ platform, caller, params, body }) => {
      const changes = {
        ...(body.title === undefined ? {} : { title: body.title }),
        ...(body.body === undefined ? {} : { body: body.body }),
        ...(body.active === undefined ? {} : { active: body.active }),
      };
      await commit(platform, caller, (ctx) => updateTemplate(ctx, params.id, changes));
      return ok(await showTemplate(platform, params.id));
    },
  }),
];

async function showTemplate(platform: Platform, id: number) {
  const template = await runQuery(platform, (db) => findTemplate(db, id));
  if (!template) throw new DomainError('not_found');
  return presentTemplate(template);
}
