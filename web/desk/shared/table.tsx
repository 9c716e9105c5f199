import { Group, Loader, Pagination, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useLanguage } from './language.tsx';
import { Empty } from './page.tsx';

export interface Column<Row> {
  title: string;
  /** Shown in place of the title. */
  header?: ReactNode;
  cell(row: Row): ReactNode;
  /** Numbers are right-aligned. */
  align?: 'right';
  /** Grows, and its text is cut at the end of the line. */
  isMain?: boolean;
}

interface TableProps<Row> {
  /** What the rows are, for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf(row: Row): string | number;
  /** Says what to do when there are no rows. */
  empty: ReactNode;
}

/** A table whose rows have one line each; on a narrow screen it scrolls in its box. */
export function DataTable<Row>({ label, columns, rows, keyOf, empty }: TableProps<Row>) {
  if (rows.length === 0) return <Empty>{empty}</Empty>;
  return (
    <Table.ScrollContainer
      minWidth={columns.length * 110}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'group', 'aria-label': label } }}
    >
      <Table aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ title, header = title, align }) => (
              <Table.Th key={title} ta={align} style={{ whiteSpace: 'nowrap' }}>
                {header}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={keyOf(row)}>
              {columns.map(({ title, cell, align, isMain }) => (
                <Table.Td key={title} ta={align} style={isMain ? mainCell : { whiteSpace: 'nowrap' }}>
                  {cell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** `max-width: 0` lets a cell of an automatic table cut its text. */
const mainCell = { width: '100%', maxWidth: 0, minWidth: 160, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' } as const;

/** `meta` of a list with numbered pages. */
export interface Counted {
  total: number;
  page: number;
  limit: number;
  total_is_capped?: true;
}

/** How many there are, and the pages. */
export function Pager({ meta, onPage }: { meta: Counted; onPage(page: number): void }) {
  const { words, number } = useLanguage();
  const pages = Math.ceil(meta.total / meta.limit);
  return (
    <Group justify="space-between" mt="xs">
      <Text size="xs" c="dimmed">
        {words.list.total(`${number(meta.total)}${meta.total_is_capped ? '+' : ''}`)}
      </Text>
      {pages > 1 && (
        <Pagination
          size="xs"
          total={pages}
          value={meta.page}
          onChange={onPage}
          getControlProps={(control) => ({ 'aria-label': words.list.pages[control] })}
          getItemProps={(page) => ({ 'aria-label': words.list.page(number(page)) })}
        />
      )}
    </Group>
  );
}

interface PagedTableProps<Row> extends Omit<TableProps<Row>, 'rows'> {
  /** What the API answered; undefined while it is read. */
  answer: { data: readonly Row[]; meta: Counted } | undefined;
  onPage(page: number): void;
}

/** A table of a list with numbered pages. */
export function PagedTable<Row>({ answer, onPage, ...table }: PagedTableProps<Row>) {
  if (answer === undefined) return <Loader size="sm" />;
  return (
    <>
      <DataTable {...table} rows={answer.data} />
      <Pager meta={answer.meta} onPage={onPage} />
    </>
  );
}
