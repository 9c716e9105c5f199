import { Box, Button, Checkbox, Group, Loader } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { components } from '../../../../client/src/index.ts';
import { FilterChoice, FilterText } from '../../shared/filter-fields.tsx';
import { type Filters, given, oneOf, pageOf, useFilters } from '../../shared/filters.ts';
import { useTexts } from '../../shared/language.tsx';
import { Page } from '../../shared/page.tsx';
import { read } from '../../shared/queries.ts';
import { RecordLink } from '../../shared/record-link.tsx';
import { Status } from '../../shared/status.tsx';
import { type Column, DataTable, Pager } from '../../shared/table.tsx';
import { Lists } from './lists.tsx';
import { nationalTexts } from './texts.ts';

type Row = components['schemas']['NationalCertificate'];
type FilterName = 'year' | 'q' | 'status' | 'paid' | 'insurance' | 'print' | 'page';

const statuses = ['draft', 'submitted', 'changes', 'approved', 'cancelled', 'closed'] as const;
const relations = ['not_exported', 'exported', 'listed'] as const;

/** Applications for national certificates, a choice among them, and the lists for review, insurer and printer. */
export function RoutePage() {
  const { words, language, number, day, texts } = useTexts(nationalTexts);
  const [filters, change, field] = useFilters<FilterName>();
  const [chosen, setChosen] = useState<readonly number[]>([]);
  const { data } = useQuery({ ...read('/admin/national', { params: { query: queryOf(filters) } }), placeholderData: keepPreviousData });
  if (data === undefined) return <Page title={words.sections.national}>{<Loader />}</Page>;
  const { data: rows, meta } = data;
  const idsOfPage = rows.map(({ id }) => id);
  const choiceOf = (label: string, ids: readonly number[]) => {
    const count = ids.filter((id) => chosen.includes(id)).length;
    const others = chosen.filter((id) => !ids.includes(id));
    return (
      <Checkbox
        size="xs"
        aria-label={label}
        checked={count > 0 && count === ids.length}
        indeterminate={count > 0 && count < ids.length}
        onChange={({ currentTarget }) => setChosen(currentTarget.checked ? [...others, ...ids] : others)}
      />
    );
  };
  const memberOf = (list: keyof typeof meta.lists, { id }: Row) => (meta.lists[list].includes(id) ? texts.lists.member : '');
  const exported = (list: 'insurance' | 'print') => (row: Row) => {
    const last = row.exports[list].at(-1);
    return `${last ? day(last.at.slice(0, 10)) : ''} ${memberOf(list, row)}`;
  };
  const columns: Column<Row>[] = [
    { title: texts.chosen.page, header: choiceOf(texts.chosen.page, idsOfPage), cell: ({ id, name }) => choiceOf(name, [id]) },
    { title: texts.columns.name, isMain: true, cell: ({ id, name }) => <RecordLink kind="application" id={id} name={name} /> },
    { title: texts.columns.number, cell: ({ number }) => number },
    { title: texts.columns.category, cell: ({ service }) => service.category ?? service.title[language] },
    { title: texts.columns.year, cell: ({ year }) => year },
    {
      title: texts.columns.status,
      cell: (row) => (
        <>
          <Status value={row.status} /> {memberOf('review', row)}
        </>
      ),
    },
    { title: texts.columns.paid, cell: ({ paid }) => (paid ? words.yes : words.no) },
    { title: texts.lists.insurance, cell: exported('insurance') },
    { title: texts.lists.print, cell: exported('print') },
  ];
  const thisYear = new Date().getFullYear();
  const years = [thisYear + 1, thisYear, thisYear - 1, thisYear - 2].map(String);
  const choices: readonly (readonly [FilterName, string, [string, string][]])[] = [
    ['year', texts.columns.year, years.map((year) => [year, year])],
    ['status', texts.columns.status, statuses.map((status) => [status, words.statuses[status]])],
    ['paid', texts.columns.paid, Object.entries(texts.paidStates)],
    ['insurance', texts.lists.insurance, Object.entries(texts.relations)],
    ['print', texts.lists.print, Object.entries(texts.relations)],
  ];
  return (
    <Page title={words.sections.national}>
      <Lists lists={meta.lists} chosen={chosen} year={Number(filters.year ?? thisYear)} />
      <Group gap="xs" align="flex-end">
        <FilterText label={texts.q} {...field('q')} />
        {choices.map(([name, label, values]) => (
          <Box key={name} w={130}>
            <FilterChoice label={label} choices={values} {...field(name)} />
          </Box>
        ))}
        {chosen.length > 0 && (
          <Button variant="subtle" onClick={() => setChosen([])}>
            {texts.chosen.none} ({number(chosen.length)})
          </Button>
        )}
      </Group>
      <DataTable label={words.sections.national} columns={columns} rows={rows} keyOf={({ id }) => id} empty={texts.empty} />
      <Pager meta={meta} onPage={(page) => change({ page: String(page) })} />
    </Page>
  );
}

function queryOf({ q, year, paid, page, ...choices }: Filters<FilterName>) {
  return given({
    limit: 50,
    q,
    year: year === undefined ? undefined : Number(year),
    paid: paid === undefined ? undefined : paid === 'true',
    page: pageOf(page),
    status: oneOf(statuses, choices.status),
    insurance: oneOf(relations, choices.insurance),
    print: oneOf(relations, choices.print),
  });
}
