import { Code, Group, Switch, Text, Textarea, TextInput, UnstyledButton } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import type { components } from '../../../../client/src/index.ts';
import { useTexts } from '../../shared/language.tsx';
import { read } from '../../shared/queries.ts';
import { registry } from '../../shared/registry.ts';
import { SavingDialog, TableSection } from './editable.tsx';
import { catalogueTexts } from './texts.ts';

type Template = components['schemas']['ContractTemplate'];

/** The texts of agreements, in their newest versions. */
export function Templates() {
  const { words, moment, texts: all } = useTexts(catalogueTexts);
  const { templates: texts, fields } = all;
  const { data: templates } = useSuspenseQuery(read('/admin/contract-templates', { params: { query: { limit: 100 } } })).data;
  return (
    <TableSection<Template>
      title={texts.title}
      add={texts.add}
      columns={[
        { title: fields.title, isMain: true, cell: ({ title }) => title },
        { title: texts.version, align: 'right', cell: ({ version }) => version },
        { title: texts.isDefault, cell: (template) => (template.is_default ? words.yes : words.no) },
        { title: fields.active, cell: ({ active }) => (active ? words.yes : words.no) },
        { title: texts.at, cell: (template) => moment(template.updated_at) },
      ]}
      rows={templates}
      keyOf={({ id }) => id}
      form={(template, onClose) => <TemplateForm template={template} onClose={onClose} />}
    />
  );
}

/** Creates or changes a template; a text that stays the same makes no new version. */
function TemplateForm({ template, onClose }: { template: Template | undefined; onClose(): void }) {
  const { templates: texts, fields } = useTexts(catalogueTexts).texts;
  const { data: offered } = useQuery(read('/contract-templates'));
  const field = useRef<HTMLTextAreaElement>(null);
  const isDefault = template?.is_default === true;
  const send = ({ title = '', body: text = '', active }: Record<string, string>) => {
    const body = { title, body: text, active: isDefault || active !== undefined };
    if (template === undefined) return registry.POST('/admin/contract-templates', { body });
    return registry.PATCH('/admin/contract-templates/{id}', { params: { path: { id: template.id } }, body });
  };
  const insert = (variable: string) => {
    const area = field.current;
    area?.setRangeText(variable, area.selectionStart, area.selectionEnd, 'end');
    area?.focus();
  };
  return (
    <SavingDialog title={template?.title ?? texts.add} size="xl" send={send} onClose={onClose}>
      <TextInput name="title" label={fields.title} required maxLength={200} defaultValue={template?.title ?? ''} />
      {!isDefault && <Switch name="active" label={fields.active} defaultChecked={template?.active ?? true} />}
      <Text size="sm">{texts.variables}</Text>
      <Group gap={4}>
        {offered?.data.variables.map((variable) => (
          <UnstyledButton key={variable} onClick={() => insert(variable)}>
            <Code>{variable}</Code>
          </UnstyledButton>
        ))}
      </Group>
      <Textarea ref={field} name="body" label={texts.body} required rows={16} maxLength={40_000} defaultValue={template?.body ?? ''} />
      <Text size="sm">{texts.newVersion}</Text>
    </SavingDialog>
  );
}
