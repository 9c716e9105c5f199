import { MultiSelect, NumberInput, SimpleGrid, Switch, TextInput } from '@mantine/core';
import type { components } from '../../../../client/src/index.ts';
import { useTexts } from '../../shared/language.tsx';
import { registry } from '../../shared/registry.ts';
import { type Language, languages } from '../../shared/texts.ts';
import { SavingDialog } from './editable.tsx';
import { catalogueTexts } from './texts.ts';

type Service = components['schemas']['EditedService'];
type Requirement = components['schemas']['RequiredDocument'];

interface ServiceFormProps {
  service: Service;
  disciplines: readonly components['schemas']['EditedDiscipline'][];
  onClose(): void;
}

/** Edits a whole service. */
export function ServiceForm({ service, disciplines, onClose }: ServiceFormProps) {
  const { words, language, texts } = useTexts(catalogueTexts);
  const { fields, identity, activeAbout, disciplinesAbout } = texts;
  const documents = Object.entries({ identity_document: identity, ...words.documentTypes }).map(([value, label]) => ({ value, label }));
  const requiredOf = (onlyMinors: boolean) =>
    service.required_documents.flatMap((requirement) => (requirement.only_minors === onlyMinors ? [requirement.code] : []));
  const offered = disciplines.map(({ id, title }) => ({ value: String(id), label: title[language] }));
  const lists = [
    ['everyone', fields.everyone, documents, requiredOf(false), null],
    ['minors', fields.minors, documents, requiredOf(true), null],
    ['disciplines', fields.disciplines, offered, service.disciplines.map(String), disciplinesAbout],
  ] as const;
  return (
    <SavingDialog title={service.title[language]} size="lg" send={(typed) => save(service, typed)} onClose={onClose}>
      {Object.entries(languages).map(([name, word]) => (
        <TextInput
          key={name}
          name={name}
          label={`${fields.title} (${word})`}
          required
          maxLength={300}
          defaultValue={service.title[name as Language]}
        />
      ))}
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput name="category" label={fields.category} maxLength={40} defaultValue={service.category ?? ''} />
        {(['mrp', 'cis_mrp', 'insurance_coverage_mrp'] as const).map((name) => (
          <NumberInput
            key={name}
            name={name}
            label={fields[name]}
            min={0}
            decimalScale={4}
            required={name === 'mrp'}
            defaultValue={service[name] ?? ''}
          />
        ))}
      </SimpleGrid>
      {lists.map(([name, label, data, chosen, about]) => (
        <MultiSelect key={name} name={name} label={label} description={about} data={data} defaultValue={chosen} />
      ))}
      <Switch name="active" label={fields.active} description={activeAbout} defaultChecked={service.active} />
    </SavingDialog>
  );
}

/** Sends what was typed. An empty number is none; a document that stays required is satisfied by the same types. */
function save({ id, updated_at, required_documents: former }: Service, typed: Record<string, string>) {
  const { ru = '', kk = '', en = '', active } = typed;
  const numberOf = (name: string) => (typed[name] ? Number(typed[name]) : null);
  const listOf = (name: string) => (typed[name] ? typed[name].split(',') : []);
  const everyone = listOf('everyone');
  const codes = new Set([...everyone, ...listOf('minors')]) as Set<Requirement['code']>;
  const typesOf = (code: Requirement['code']): Requirement['types'] => {
    const types = former.find((requirement) => requirement.code === code)?.types;
    return types ?? (code === 'identity_document' ? ['identity', 'passport'] : [code]);
  };
  const body = {
    title: { ru, kk, en },
    category: typed['category'] || null,
    mrp: Number(typed['mrp']),
    cis_mrp: numberOf('cis_mrp'),
    required_documents: [...codes].map((code) => ({ code, types: typesOf(code), only_minors: !everyone.includes(code) })),
    disciplines: listOf('disciplines').map(Number),
    insurance_coverage_mrp: numberOf('insurance_coverage_mrp'),
    active: active !== undefined,
    updated_at,
  };
  return registry.PUT('/admin/catalog/services/{id}', { params: { path: { id } }, body });
}
