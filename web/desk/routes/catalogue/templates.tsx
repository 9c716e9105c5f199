import { Anchor, Button, Code, Group, Switch, Text, Textarea, TextInput, UnstyledButton } from '@mantine/core';
import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { components } from '../../../../client/src/index.ts';
import { FormDialog } from '../../shared/dialog.tsx';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { Section } from '../../shared/page.tsx';
import { read } from '../../shared/queries.ts';
import { registry } from '../../shared/registry.ts';
import { useAnnounce } from '../../shared/shell.tsx';
import { type Column, DataTable } from '../../shared/table.tsx';
import { catalogueTexts } from './texts.ts';

type Template = components['schemas']['ContractTemplate'];

/** The texts of agreements, in their newest versions. */
export function Templates() {
  const { words, moment } = useLanguage();
  const texts = useTexts(catalogueTexts);
  const [edited, setEdited] = useState<Partial<Template> | null>(null);
  const { data: templates } = useSuspenseQuery(read('/admin/contract-templates', { params: { query: { limit: 100 } } })).data;
  const columns: Column<Template>[] = [
    {
      title: texts.fields.title,
      isMain: true,
      cell: (template) => (
        <Anchor component="button" type="button" size="sm" truncate maw="100%" onClick={() => setEdited(template)}>
          {template.title}
        </Anchor>
      ),
    },
    { title: texts.templates.version, align: 'right', cell: ({ version }) => version },
    { title: texts.templates.isDefault, cell: (template) => (template.is_default ? words.yes : words.no) },
    { title: texts.fields.active, cell: ({ active }) => (active ? words.yes : words.no) },
    { title: texts.templates.at, cell: (template) => moment(template.updated_at) },
  ];
  return (
    <Section
      title={texts.templates.title}
      actions={
        <Button variant="default" onClick={() => setEdited({})}>
          {texts.templates.add}
        </Button>
      }
    >
      <DataTable label={texts.templates.title} columns={columns} rows={templates} keyOf={({ id }) => id} empty={words.none} />
      {edited !== null && <TemplateForm template={edited} onClose={() => setEdited(null)} />}
    </Section>
  );
}

/** Creates a template, or changes one: only what was changed is sent. @param template without an `id`: a new one */
function TemplateForm({ template, onClose }: { template: Partial<Template>; onClose(): void }) {
  const { words } = useLanguage();
  const texts = useTexts(catalogueTexts);
  const announce = useAnnounce();
  const client = useQueryClient();
  const { data: offered } = useQuery(read('/contract-templates'));
  const field = useRef<HTMLTextAreaElement>(null);
  const [body, setBody] = useState(template.body ?? '');
  const send = async (fields: Record<string, string>) => {
    const typed = { title: fields['title'] ?? '', body, active: template.is_default === true || fields['active'] !== undefined };
    const changed = Object.entries(typed).filter(([name, value]) => value !== template[name as keyof typeof typed]);
    if (template.id === undefined) await registry.POST('/admin/contract-templates', { body: typed });
    else
      await registry.PATCH('/admin/contract-templates/{id}', { params: { path: { id: template.id } }, body: Object.fromEntries(changed) });
    announce(texts.saved);
    await client.invalidateQueries({ queryKey: ['/admin/contract-templates'] });
  };
  const insert = (variable: string) => {
    const { selectionStart: from = body.length, selectionEnd: to = body.length } = field.current ?? {};
    setBody(body.slice(0, from) + variable + body.slice(to));
    field.current?.focus();
  };
  return (
    <FormDialog title={template.title ?? texts.templates.add} size="xl" submit={words.save} send={send} onClose={onClose}>
      <TextInput name="title" label={texts.fields.title} required maxLength={200} defaultValue={template.title ?? ''} />
      {template.is_default !== true && <Switch name="active" label={texts.fields.active} defaultChecked={template.active ?? true} />}
      <Text size="sm">{texts.bodyAbout}</Text>
      <Group gap={4}>
        {offered?.data.variables.map((variable) => (
          <UnstyledButton key={variable} onClick={() => insert(variable)}>
            <Code>{variable}</Code>
          </UnstyledButton>
        ))}
      </Group>
      <Textarea
        ref={field}
        size="xs"
        label={texts.templates.body}
        required
        autosize
        minRows={10}
        maxRows={20}
        maxLength={40_000}
        value={body}
        onChange={({ currentTarget }) => setBody(currentTarget.value)}
      />
      <Text size="sm">{texts.newVersion}</Text>
    </FormDialog>
  );
}
