import { Button, Checkbox, Fieldset, Group, MultiSelect, Select, Text } from '@mantine/core';
import type { components } from '../../../../client/src/index.ts';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { catalogueTexts } from './texts.ts';

type Requirement = components['schemas']['RequiredDocument'];

/** The name of what is required. */
export function useDocumentName(): (requirement: Pick<Requirement, 'code' | 'only_minors'>) => string {
  const { words } = useLanguage();
  const texts = useTexts(catalogueTexts);
  return ({ code, only_minors: onlyMinors }) => {
    const name = code === 'identity_document' ? texts.documents.identity : words.documentTypes[code];
    return onlyMinors ? texts.ofMinors(name) : name;
  };
}

/** The documents that a service requires, each once; any of its types satisfies one. */
export function RequiredDocuments({ value, onChange }: { value: readonly Requirement[]; onChange(value: Requirement[]): void }) {
  const { words } = useLanguage();
  const texts = useTexts(catalogueTexts);
  const nameOf = useDocumentName();
  const types = Object.keys(words.documentTypes) as Requirement['types'];
  const unused = (['identity_document', ...types] as const).filter((code) => value.every((requirement) => requirement.code !== code));
  const change = (index: number, ...replaced: Requirement[]) => onChange(value.toSpliced(index, 1, ...replaced));
  const add = (code: string | null) => {
    const known = unused.find((each) => each === code);
    if (known === undefined) return;
    onChange([...value, { code: known, types: known === 'identity_document' ? ['identity', 'passport'] : [known], only_minors: false }]);
  };
  return (
    <Fieldset legend={texts.fields.required_documents} p="xs">
      <Text size="sm">{texts.anyType}</Text>
      {value.map((requirement, index) => (
        <Group key={requirement.code} gap="xs" mb="xs" align="flex-end">
          <MultiSelect
            size="xs"
            flex="1 1 260px"
            label={nameOf(requirement)}
            data={types.map((type) => ({ value: type, label: words.documentTypes[type] }))}
            value={requirement.types}
            onChange={(chosen) => change(index, { ...requirement, types: types.filter((type) => chosen.includes(type)) })}
          />
          <Checkbox
            size="xs"
            mb={6}
            label={texts.documents.minors}
            checked={requirement.only_minors}
            onChange={({ currentTarget }) => change(index, { ...requirement, only_minors: currentTarget.checked })}
          />
          <Button variant="default" aria-label={`${texts.documents.remove}: ${nameOf(requirement)}`} onClick={() => change(index)}>
            {texts.documents.remove}
          </Button>
        </Group>
      ))}
      <Select
        label={texts.documents.add}
        data={unused.map((code) => ({ value: code, label: nameOf({ code, only_minors: false }) }))}
        value={null}
        onChange={add}
      />
    </Fieldset>
  );
}
