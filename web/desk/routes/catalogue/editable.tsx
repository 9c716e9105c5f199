import { Anchor, Button } from '@mantine/core';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { FormDialog } from '../../shared/dialog.tsx';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { Section } from '../../shared/page.tsx';
import { reread } from '../../shared/queries.ts';
import { useAnnounce } from '../../shared/shell.tsx';
import { type Column, DataTable } from '../../shared/table.tsx';
import { catalogueTexts } from './texts.ts';

interface TableSectionProps<Row> {
  title: string;
  /** The word on the button that adds a row. */
  add?: string;
  columns: readonly [Column<Row>, ...Column<Row>[]];
  rows: readonly Row[];
  keyOf(row: Row): number;
  isFixed?(row: Row): boolean;
  /** Without it the rows are only shown. @param row undefined for a new one */
  form?(row: Row | undefined, onClose: () => void): ReactNode;
}

/** A section with a table; its first column opens the form of a row. */
export function TableSection<Row>({ title, add, columns, rows, keyOf, isFixed, form }: TableSectionProps<Row>) {
  const { words } = useLanguage();
  const [edited, setEdited] = useState<{ row?: Row } | null>(null);
  const [first, ...others] = columns;
  const opening = (row: Row) => (
    <Anchor component="button" type="button" size="sm" truncate maw="100%" onClick={() => setEdited({ row })}>
      {first.cell(row)}
    </Anchor>
  );
  const button = add !== undefined && (
    <Button variant="default" onClick={() => setEdited({})}>
      {add}
    </Button>
  );
  const shown = [{ ...first, cell: (row: Row) => (form === undefined || isFixed?.(row) ? first.cell(row) : opening(row)) }, ...others];
  return (
    <Section title={title} actions={button}>
      <DataTable label={title} columns={shown} rows={rows} keyOf={keyOf} empty={words.none} />
      {edited !== null && form?.(edited.row, () => setEdited(null))}
    </Section>
  );
}

/** Saves a part of the catalogue. After a refusal the page is read again too: another administrator may have changed it. */
export function SavingDialog({ send, ...props }: Omit<ComponentProps<typeof FormDialog>, 'submit' | 'onSent'>) {
  const { words, texts } = useTexts(catalogueTexts);
  const announce = useAnnounce();
  const save = (fields: Record<string, string>) => send(fields).finally(() => reread());
  return <FormDialog {...props} submit={words.save} send={save} onSent={() => announce(texts.saved)} />;
}
