import { Anchor, Button, NumberInput, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { components } from '../../../../client/src/index.ts';
import { FormDialog } from '../../shared/dialog.tsx';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { Section } from '../../shared/page.tsx';
import { registry } from '../../shared/registry.ts';
import { useAnnounce } from '../../shared/shell.tsx';
import { type Column, DataTable } from '../../shared/table.tsx';
import { catalogueTexts } from './texts.ts';

type BaseIndex = components['schemas']['EditedBaseIndex'];

/** The index by which the prices of a year are set; one that issued amounts use is only shown. */
export function BaseIndexes({ indexes }: { indexes: readonly BaseIndex[] }) {
  const { words, money } = useLanguage();
  const texts = useTexts(catalogueTexts);
  const announce = useAnnounce();
  const client = useQueryClient();
  const [edited, setEdited] = useState<Partial<BaseIndex> | null>(null);
  const send = async ({ year, amount }: Record<string, string>) => {
    const body = { amount_minor: Math.round(Number(amount) * 100) };
    await registry.PUT('/admin/catalog/base-indexes/{year}', { params: { path: { year: Number(year) } }, body });
    announce(`${texts.saved} ${texts.drafts}`);
    await client.invalidateQueries({ queryKey: ['/admin/catalog'] });
  };
  const columns: Column<BaseIndex>[] = [
    {
      title: texts.indexes.year,
      cell: (index) =>
        index.in_use ? (
          index.year
        ) : (
          <Anchor component="button" type="button" size="sm" onClick={() => setEdited(index)}>
            {index.year}
          </Anchor>
        ),
    },
    { title: texts.indexes.amount, align: 'right', cell: ({ amount_minor: minor }) => money(minor) },
    { title: texts.indexes.inUse, cell: (index) => (index.in_use ? words.yes : words.no) },
  ];
  return (
    <Section
      title={texts.indexes.title}
      actions={
        <Button variant="default" onClick={() => setEdited({})}>
          {texts.indexes.add}
        </Button>
      }
    >
      <Text size="sm">{texts.indexesAbout}</Text>
      <DataTable label={texts.indexes.title} columns={columns} rows={indexes} keyOf={({ year }) => year} empty={words.none} />
      {edited !== null && (
        <FormDialog title={texts.indexes.title} submit={words.save} send={send} onClose={() => setEdited(null)}>
          <NumberInput
            size="xs"
            name="year"
            label={texts.indexes.year}
            required
            min={2000}
            max={2099}
            allowDecimal={false}
            readOnly={edited.year !== undefined}
            defaultValue={edited.year ?? ''}
          />
          <NumberInput
            size="xs"
            name="amount"
            label={texts.indexes.amount}
            required
            min={0.01}
            max={10_000_000}
            decimalScale={2}
            defaultValue={edited.amount_minor === undefined ? '' : edited.amount_minor / 100}
          />
          <Text size="sm">{texts.drafts}</Text>
        </FormDialog>
      )}
    </Section>
  );
}
