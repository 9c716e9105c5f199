import { Group } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { DownloadButton } from '../../shared/download.tsx';
import { FilterChoice, FilterText } from '../../shared/filter-fields.tsx';
import { given, oneOf, pageOf, useFilters } from '../../shared/filters.ts';
import { useTexts } from '../../shared/language.tsx';
import { Page } from '../../shared/page.tsx';
import { read } from '../../shared/queries.ts';
import { RecordLink } from '../../shared/record-link.tsx';
import { registry } from '../../shared/registry.ts';
import { Status, wordOf } from '../../shared/status.tsx';
import { PagedTable } from '../../shared/table.tsx';
import { athletesTexts } from './texts.ts';

const statuses = ['draft', 'pending', 'approved', 'changes', 'cancelled'] as const;
const certificates = ['issued', 'pending', 'not_issued'] as const;

/** All athletes, newest first, and the file of the same ones. */
export function RoutePage() {
  const { words, day, texts } = useTexts(athletesTexts);
  const [filters, change, field] = useFilters<'q' | 'status' | 'certificate' | 'page'>();
  const query = given({ q: filters.q, status: oneOf(statuses, filters.status), certificate: oneOf(certificates, filters.certificate) });
  const page = pageOf(filters.page);
  const { data } = useQuery({ ...read('/admin/athletes', { params: { query: { ...query, page } } }), placeholderData: keepPreviousData });
  const download = (format: 'csv' | 'xlsx') =>
    registry.GET('/admin/export', { params: { query: { kind: 'athletes', format, ...query } }, parseAs: 'blob' });
  return (
    <Page
      title={words.sections.athletes}
      actions={
        <Group gap="xs">
          {(['csv', 'xlsx'] as const).map((format) => (
            <DownloadButton key={format} name={`athletes.${format}`} read={() => download(format)}>
              {texts.save(format.toUpperCase())}
            </DownloadButton>
          ))}
        </Group>
      }
    >
      <Group align="end" gap="xs">
        <FilterText label={words.sections.search} placeholder={words.searchPlaceholder} {...field('q')} />
        <FilterChoice label={texts.status} choices={statuses.map((each) => [each, words.statuses[each]])} {...field('status')} />
        <FilterChoice label={texts.certificate} choices={Object.entries(texts.certificates)} {...field('certificate')} />
      </Group>
      <PagedTable
        label={words.sections.athletes}
        answer={data}
        keyOf={({ id }) => id}
        empty={texts.empty}
        columns={[
          { title: texts.name, isMain: true, cell: ({ id, name }) => <RecordLink kind="profile" id={id} name={name} /> },
          { title: texts.status, cell: ({ status }) => <Status value={status} /> },
          { title: texts.photo, cell: ({ photo_status: status }) => <Status value={status} /> },
          { title: texts.certificate, cell: ({ certificate }) => certificate.number },
          { title: texts.until, cell: ({ certificate: { valid_until: until } }) => until && day(until) },
          {
            title: texts.application,
            cell: ({ latest_application: latest }) =>
              latest && <RecordLink kind="application" id={latest.id} name={wordOf(latest.status, words.statuses)} />,
          },
          { title: texts.city, cell: ({ city }) => city },
          { title: texts.phone, cell: ({ phone }) => phone },
          { title: texts.owner, cell: ({ owner }) => <RecordLink kind="user" id={owner.id} name={owner.name} /> },
        ]}
        onPage={(next) => change({ page: String(next) })}
      />
    </Page>
  );
}
