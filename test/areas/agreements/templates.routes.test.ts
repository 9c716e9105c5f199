import { seedContractTemplates } from '../../../src/areas/agreements/index.ts';
import { defaultTemplate } from '../../../src/areas/agreements/templates/seed-templates.ts';
import { templateVariables } from '../../../src/areas/agreements/templates/variables.ts';
import { openRegistry } from '../../../src/registry/open-registry.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, administrator, owner: organizer, audit } = await useRegistry();

const path = '/admin/contract-templates';
const offered = async () => organizer.expect(200, await organizer.get('/contract-templates')).body.data;
const listed = async () => administrator.expect(200, await administrator.get(path)).body;
const versionsOf = (id: number) =>
  api.sql<{ version: number; title: string; body: string }>(
    'select version, title, body from contract_template_versions where template_id = $1 order by version',
    [id],
  );
const problemsOf = (answer: { body: { error: { details: { fields: { path: string; code: string; message: string }[] } } } }) =>
  answer.body.error.details.fields;

test('a new registry offers one template and the variables', async () => {
  const { templates, variables } = await offered();
  expect(templates).toEqual([{ id: expect.any(Number), title: defaultTemplate.title, version: 1 }]);
  expect(variables).toEqual(templateVariables.map((name) => `{{${name}}}`));
  const { data, meta } = await listed();
  expect(meta).toEqual({ total: 1, page: 1, limit: 20 });
  expect(data).toMatchObject([{ ...defaultTemplate, version: 1, active: true, is_default: true }]);
});

test('each change by an administrator is a new version; a repeat writes nothing (AGR-9)', async () => {
  const body = 'Келісім {{DOCUMENT_NUMBER}}\r\n\r\n{{EVENT_TITLE}}, {{ORGANIZER_NAME}}\n{{DOCUMENT_QR}}';
  const made = administrator.expect(201, await administrator.post(path, { title: 'Қысқа келісім', body })).body.data;
  expect(made).toMatchObject({ title: 'Қысқа келісім', body: body.replaceAll('\r\n', '\n'), version: 1, active: true, is_default: false });
  expect(administrator.expect(200, await administrator.get(`${path}/${made.id}`)).body.data).toEqual(made);

  const title = { title: 'Қысқа келісім, 2' };
  const changed = administrator.expect(200, await administrator.patch(`${path}/${made.id}`, title)).body.data;
  expect(changed).toMatchObject({ ...title, version: 2, body: made.body });
  expect(administrator.expect(200, await administrator.patch(`${path}/${made.id}`, title)).body.data).toEqual(changed);
  expect((await offered()).templates).toContainEqual({ id: made.id, ...title, version: 2 });

  const hidden = administrator.expect(200, await administrator.patch(`${path}/${made.id}`, { active: false })).body.data;
  expect(hidden).toMatchObject({ active: false, version: 3 });
  expect((await offered()).templates.map(({ id }: { id: number }) => id)).not.toContain(made.id);
  expect(await versionsOf(made.id)).toEqual([
    { version: 1, title: 'Қысқа келісім', body: made.body },
    { version: 2, ...title, body: made.body },
    { version: 3, ...title, body: made.body },
  ]);
  const hash = expect.stringMatching(/^[0-9a-f]{64}$/);
  expect(await audit('contract_template', made.id)).toMatchObject([
    { action: 'contract_template.created', data: { version: 1, active: true, body_sha256: hash } },
    { action: 'contract_template.updated', data: { version: 2, active: true, changed: ['title'], body_sha256: hash } },
    { action: 'contract_template.updated', data: { version: 3, active: false, changed: ['active'], body_sha256: hash } },
  ]);
});

test('a refusal names all problems of the shape, then every unknown variable (API-2, AGR-9)', async () => {
  const body = '{{DOCUMENT_NUMBER}} {{EVENT_NAME}} {{ ORGANIZER_NAME }} {{EVENT_NAME}} {{ORGANIZER_DIRECTOR';
  const misshapen = await administrator.post(path, { title: '', body, colour: 'red' });
  expect([misshapen.status, problemsOf(misshapen).map((problem) => problem.path)]).toEqual([422, ['body.title', 'body.colour']]);
  expect(problemsOf(await administrator.post(path, { title: 'Other', body }))).toEqual([
    {
      path: 'body.body',
      code: 'unknown_variable',
      message: 'has unknown variables: {{EVENT_NAME}}, {{ ORGANIZER_NAME }}, {{ORGANIZER_DIRECTOR}}',
    },
  ]);
  const [template] = (await listed()).data;
  expect(problemsOf(await administrator.patch(`${path}/${template.id}`, { body }))[0]?.code).toBe('unknown_variable');
  expect(await versionsOf(template.id)).toHaveLength(1);
});

test('the default template stays active, and its text may be changed (AGR-9)', async () => {
  const [{ id }] = (await listed()).data;
  const refused = await administrator.patch(`${path}/${id}`, { active: false, body: '{{NOTHING}}' });
  expect(problemsOf(refused).map(({ path: field, code }) => [field, code])).toEqual([
    ['body.body', 'unknown_variable'],
    ['body.active', 'default_template'],
  ]);
  const longer = `${defaultTemplate.body}\n${'Қосымша шарт. '.repeat(1_500)}`.trim();
  expect(longer.length).toBeGreaterThan(20_000);
  administrator.expect(200, await administrator.patch(`${path}/${id}`, { body: longer }));
  expect((await versionsOf(id)).map(({ body }) => body)).toEqual([defaultTemplate.body, longer]);
  // The seed of the next start does not change it.
  const orm = await openRegistry(api.surroundings.database.ownerUrl, 1);
  await seedContractTemplates(orm.em.fork()).finally(() => orm.close(true));
  expect((await listed()).data.filter((template: { is_default: boolean }) => template.is_default)).toMatchObject([{ id, body: longer }]);
});

test('an unknown template is not found; a missing or too long text is refused', async () => {
  expect((await administrator.get(`${path}/9999`)).status).toBe(404);
  expect((await administrator.patch(`${path}/9999`, { title: 'x' })).status).toBe(404);
  for (const body of ['x'.repeat(40_001), 'a\u0007b', '   ', undefined])
    expect(problemsOf(await administrator.post(path, { title: 'x', body })).map((problem) => problem.path)).toEqual(['body.body']);
});

test('concurrent changes make consecutive versions', async () => {
  const { id } = administrator.expect(201, await administrator.post(path, { title: 'race', body: 'text' })).body.data;
  const answers = await Promise.all([1, 2, 3, 4, 5].map((n) => administrator.patch(`${path}/${id}`, { title: `race ${n}` })));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  const versions = await versionsOf(id);
  expect(versions.map(({ version }) => version)).toEqual([1, 2, 3, 4, 5, 6]);
  const shown = administrator.expect(200, await administrator.get(`${path}/${id}`)).body.data;
  expect(shown).toMatchObject({ version: 6, title: versions.at(-1)?.title });
});
