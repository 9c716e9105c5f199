import { NumberInput, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import type { components } from '../../../../client/src/index.ts';
import { useTexts } from '../../shared/language.tsx';
import { Page } from '../../shared/page.tsx';
import { read } from '../../shared/queries.ts';
import { registry } from '../../shared/registry.ts';
import { SavingDialog, TableSection } from './editable.tsx';
import { ServiceForm } from './service-form.tsx';
import { Templates } from './templates.tsx';
import { catalogueTexts } from './texts.ts';

type Schemas = components['schemas'];

/** What the federation offers and for which price, also what is inactive, and the texts of its agreements. */
export function RoutePage() {
  const { words, language, money, texts } = useTexts(catalogueTexts);
  const { services, disciplines, base_indexes: indexes } = useSuspenseQuery(read('/admin/catalog')).data.data;
  const active = { title: texts.fields.active, cell: ({ active }: { active: boolean }) => (active ? words.yes : words.no) };
  return (
    <Page title={words.sections.catalogue}>
      <Text size="sm">{texts.drafts}</Text>
      <TableSection<Schemas['EditedService']>
        title={texts.services}
        columns={[
          { title: texts.fields.title, isMain: true, cell: ({ title }) => title[language] },
          { title: texts.fields.category, cell: ({ category }) => category },
          { title: texts.fields.mrp, align: 'right', cell: ({ mrp }) => mrp },
          { title: texts.fields.cis_mrp, align: 'right', cell: ({ cis_mrp: mrp }) => mrp },
          active,
        ]}
        rows={services}
        keyOf={({ id }) => id}
        form={(service, onClose) => service && <ServiceForm service={service} disciplines={disciplines} onClose={onClose} />}
      />
      <TableSection<Schemas['EditedBaseIndex']>
        title={texts.indexes.title}
        add={texts.indexes.add}
        columns={[
          { title: texts.indexes.year, cell: ({ year }) => year },
          { title: texts.indexes.amount, align: 'right', cell: ({ amount_minor: minor }) => money(minor) },
          { title: texts.indexes.inUse, cell: (index) => (index.in_use ? words.yes : words.no) },
        ]}
        rows={indexes}
        keyOf={({ year }) => year}
        isFixed={(index) => index.in_use}
        form={(index, onClose) => <IndexForm index={index} onClose={onClose} />}
      />
      <TableSection<Schemas['EditedDiscipline']>
        title={texts.fields.disciplines}
        columns={[{ title: texts.fields.title, isMain: true, cell: ({ title }) => title[language] }, active]}
        rows={disciplines}
        keyOf={({ id }) => id}
      />
      <Templates />
    </Page>
  );
}

/** The index by which the prices of a year are set. */
function IndexForm({ index, onClose }: { index: Schemas['EditedBaseIndex'] | undefined; onClose(): void }) {
  const { indexes } = useTexts(catalogueTexts).texts;
  const send = ({ year, amount }: Record<string, string>) => {
    const body = { amount_minor: Math.round(Number(amount) * 100) };
    return registry.PUT('/admin/catalog/base-indexes/{year}', { params: { path: { year: Number(year) } }, body });
  };
  const whole = { min: 2000, max: 2099, allowDecimal: false, readOnly: index !== undefined };
  const amount = index === undefined ? '' : index.amount_minor / 100;
  return (
    <SavingDialog title={indexes.title} send={send} onClose={onClose}>
      <Text size="sm">{indexes.about}</Text>
      <NumberInput name="year" label={indexes.year} required {...whole} defaultValue={index?.year ?? ''} />
      <NumberInput name="amount" label={indexes.amount} required min={0.01} max={10_000_000} decimalScale={2} defaultValue={amount} />
    </SavingDialog>
  );
}
