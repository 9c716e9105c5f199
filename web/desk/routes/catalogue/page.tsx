import { Anchor, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { components } from '../../../../client/src/index.ts';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { Page, Section } from '../../shared/page.tsx';
import { read } from '../../shared/queries.ts';
import { type Column, DataTable } from '../../shared/table.tsx';
import { BaseIndexes } from './base-indexes.tsx';
import { ServiceForm } from './service-form.tsx';
import { Templates } from './templates.tsx';
import { catalogueTexts } from './texts.ts';

type Service = components['schemas']['EditedService'];
type Discipline = components['schemas']['EditedDiscipline'];

/** What the federation offers and for which price, also what is inactive, and the texts of its agreements. */
export function CataloguePage() {
  const { words, language } = useLanguage();
  const texts = useTexts(catalogueTexts);
  const { services, disciplines, base_indexes: indexes } = useSuspenseQuery(read('/admin/catalog')).data.data;
  const [edited, setEdited] = useState<Service | null>(null);
  const active = { title: texts.fields.active, cell: ({ active }: { active: boolean }) => (active ? words.yes : words.no) };
  const columns: Column<Service>[] = [
    {
      title: texts.fields.title,
      isMain: true,
      cell: (service) => (
        <Anchor component="button" type="button" size="sm" truncate maw="100%" onClick={() => setEdited(service)}>
          {service.title[language]}
        </Anchor>
      ),
    },
    { title: texts.fields.category, cell: ({ category }) => category },
    { title: texts.fields.mrp, align: 'right', cell: ({ mrp }) => mrp },
    { title: texts.fields.cis_mrp, align: 'right', cell: ({ cis_mrp: mrp }) => mrp },
    active,
  ];
  const disciplineColumns: Column<Discipline>[] = [
    { title: texts.fields.title, isMain: true, cell: ({ title }) => title[language] },
    active,
  ];
  return (
    <Page title={words.sections.catalogue}>
      <Text size="sm">{texts.drafts}</Text>
      <Section title={texts.services}>
        <DataTable label={texts.services} columns={columns} rows={services} keyOf={({ id }) => id} empty={words.none} />
      </Section>
      <BaseIndexes indexes={indexes} />
      <Section title={texts.fields.disciplines}>
        <DataTable
          label={texts.fields.disciplines}
          columns={disciplineColumns}
          rows={disciplines}
          keyOf={({ id }) => id}
          empty={words.none}
        />
      </Section>
      <Templates />
      {edited !== null && <ServiceForm service={edited} disciplines={disciplines} onClose={() => setEdited(null)} />}
    </Page>
  );
}
