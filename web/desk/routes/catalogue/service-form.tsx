import { Alert, List, MultiSelect, NumberInput, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type components, RegistryError } from '../../../../client/src/index.ts';
import { FormDialog } from '../../shared/dialog.tsx';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { type Language, languages } from '../../shared/texts.ts';
import { read } from '../../shared/queries.ts';
import { registry } from '../../shared/registry.ts';
import { useAnnounce } from '../../shared/shell.tsx';
import { RequiredDocuments, useDocumentName } from './required-documents.tsx';
import { catalogueTexts } from './texts.ts';

type Service = components['schemas']['EditedService'];
type Change = components['schemas']['ServiceChange'];
type Field = Exclude<keyof Change, 'updated_at'>;

interface ServiceFormProps {
  service: Service;
  disciplines: readonly components['schemas']['EditedDiscipline'][];
  onClose(): void;
}

/** Edits a whole service. What another administrator changed meanwhile is said, and taken where this one changed nothing. */
export function ServiceForm({ service, disciplines, onClose }: ServiceFormProps) {
  const { words, language } = useLanguage();
  const texts = useTexts(catalogueTexts);
  const announce = useAnnounce();
  const client = useQueryClient();
  const textOf = useFieldText(disciplines);
  /** As it was read last. */
  const [base, setBase] = useState(service);
  /** What the fields begin with. */
  const [shown, setShown] = useState(service);
  const [documents, setDocuments] = useState(service.required_documents);
  const [news, setNews] = useState<string[]>([]);

  const takeOver = (current: Service, mine: Change) => {
    const fields = Object.keys(texts.fields) as Field[];
    const theirs = fields.filter((field) => !isSame(base[field], current[field]));
    const kept = fields.filter((field) => !isSame(base[field], mine[field])).map((field) => [field, mine[field]]);
    const merged: Service = { ...current, ...Object.fromEntries(kept) };
    setNews(theirs.map((field) => texts.changed(texts.fields[field], textOf(field, base), textOf(field, current))));
    setBase(current);
    setShown(merged);
    setDocuments(merged.required_documents);
  };
  const send = async (fields: Record<string, string>) => {
    const body = { ...changeOf(fields), required_documents: documents, updated_at: base.updated_at };
    try {
      await registry.PUT('/admin/catalog/services/{id}', { params: { path: { id: service.id } }, body });
    } catch (error) {
      if (error instanceof RegistryError && error.code === 'stale_revision') {
        const { data } = await client.fetchQuery({ ...read('/admin/catalog'), staleTime: 0 });
        const current = data.services.find(({ id }) => id === service.id);
        if (current) takeOver(current, body);
      }
      throw error;
    }
    announce(`${texts.saved} ${texts.drafts}`);
    await client.invalidateQueries({ queryKey: ['/admin/catalog'] });
  };
  return (
    <FormDialog title={service.title[language]} size="lg" submit={words.save} send={send} onClose={onClose}>
      <Stack gap="sm" key={shown.updated_at}>
        {Object.entries(languages).map(([name, word]) => (
          <TextInput
            key={name}
            name={name}
            label={`${texts.fields.title} (${word})`}
            required
            maxLength={300}
            defaultValue={shown.title[name as Language]}
          />
        ))}
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <TextInput name="category" label={texts.fields.category} maxLength={40} defaultValue={shown.category ?? ''} />
          {(['mrp', 'cis_mrp', 'insurance_coverage_mrp'] as const).map((name) => (
            <NumberInput
              key={name}
              size="xs"
              name={name}
              label={texts.fields[name]}
              min={0}
              decimalScale={name === 'insurance_coverage_mrp' ? 0 : 4}
              required={name === 'mrp'}
              defaultValue={shown[name] ?? ''}
            />
          ))}
        </SimpleGrid>
        <RequiredDocuments value={documents} onChange={setDocuments} />
        <MultiSelect
          size="xs"
          name="disciplines"
          label={texts.fields.disciplines}
          description={texts.disciplinesAbout}
          data={disciplines.map(({ id, title }) => ({ value: String(id), label: title[language] }))}
          defaultValue={shown.disciplines.map(String)}
        />
        <Switch name="active" label={texts.fields.active} description={texts.activeAbout} defaultChecked={shown.active} />
      </Stack>
      <Text size="sm">{texts.drafts}</Text>
      {news.length > 0 && (
        <Alert color="orange" title={texts.changedMeanwhile}>
          <List size="sm">
            {news.map((text) => (
              <List.Item key={text}>{text}</List.Item>
            ))}
          </List>
          <Text size="sm">{texts.keptMine}</Text>
        </Alert>
      )}
    </FormDialog>
  );
}

/** Says the value of a field of a service. */
function useFieldText(disciplines: ServiceFormProps['disciplines']): (field: Field, service: Service) => string {
  const { words, language } = useLanguage();
  const nameOf = useDocumentName();
  return (field, service) => {
    const values = {
      ...service,
      title: Object.values(service.title).join(' / '),
      required_documents: service.required_documents.map(nameOf).join(', '),
      disciplines: disciplines.flatMap(({ id, title }) => (service.disciplines.includes(id) ? [title[language]] : [])).join(', '),
      active: service.active ? words.yes : words.no,
    };
    return String(values[field] ?? '') || words.none;
  };
}

/** What was typed; an empty number is none. */
function changeOf(fields: Record<string, string>): Omit<Change, 'required_documents' | 'updated_at'> {
  const { ru = '', kk = '', en = '', category = '', disciplines = '' } = fields;
  const numberOf = (text = '') => (text === '' ? null : Number(text));
  return {
    title: { ru, kk, en },
    category: category === '' ? null : category,
    mrp: Number(fields['mrp']),
    cis_mrp: numberOf(fields['cis_mrp']),
    disciplines: disciplines === '' ? [] : disciplines.split(',').map(Number),
    insurance_coverage_mrp: numberOf(fields['insurance_coverage_mrp']),
    active: fields['active'] !== undefined,
  };
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
