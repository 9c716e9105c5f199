import { Group } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { FilterChoice, FilterText } from '../../shared/filter-fields.tsx';
import { given, oneOf, pageOf, useFilters } from '../../shared/filters.ts';
import { useTexts } from '../../shared/language.tsx';
import { Page } from '../../shared/page.tsx';
import { read } from '../../shared/queries.ts';
import { RecordLink } from '../../shared/record-link.tsx';
import { Status } from '../../shared/status.tsx';
import { PagedTable } from '../../shared/table.tsx';
import { peopleTexts } from './texts.ts';

const roles = ['user', 'administrator'] as const;
const statuses = ['active', 'blocked'] as const;

/** All accounts, newest first. */
export function RoutePage() {
  const { words, moment, texts } = useTexts(peopleTexts);
  const [filters, change, field] = useFilters<'q' | 'role' | 'status' | 'page'>();
  const query = { q: filters.q, role: oneOf(roles, filters.role), status: oneOf(statuses, filters.status), page: pageOf(filters.page) };
  const { data } = useQuery({ ...read('/admin/users', { params: { query: given(query) } }), placeholderData: keepPreviousData });
  return (
    <Page title={words.sections.people}>
      <Group align="end" gap="xs">
        <FilterText label={words.sections.search} placeholder={texts.search} {...field('q')} />
        <FilterChoice label={texts.role} choices={Object.entries(texts.roles)} {...field('role')} />
        <FilterChoice label={texts.status} choices={statuses.map((each) => [each, words.statuses[each]])} {...field('status')} />
      </Group>
      <PagedTable
        label={words.sections.people}
        answer={data}
        keyOf={({ id }) => id}
        empty={texts.empty}
        columns={[
          { title: texts.name, isMain: true, cell: ({ id, name }) => <RecordLink kind="user" id={id} name={name} /> },
          { title: words.signIn.email, cell: ({ email }) => email },
          { title: texts.phone, cell: ({ phone }) => phone },
          { title: texts.role, cell: ({ role }) => texts.roles[role] },
          { title: texts.status, cell: ({ status }) => <Status value={status} /> },
          { title: texts.seen, cell: ({ last_seen_at: at }) => at && moment(at) },
          { title: texts.created, cell: ({ created_at: at }) => moment(at) },
        ]}
        onPage={(page) => change({ page: String(page) })}
      />
    </Page>
  );
}
