import { Anchor, Button, Group } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { DownloadButton } from '../../shared/download.tsx';
import { FilterChoice, FilterDay, FilterText } from '../../shared/filter-fields.tsx';
import { useFilters } from '../../shared/filters.ts';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { Page } from '../../shared/page.tsx';
import { Problem } from '../../shared/problem.tsx';
import { read } from '../../shared/queries.ts';
import { RecordLink } from '../../shared/record-link.tsx';
import { registry } from '../../shared/registry.ts';
import { DataTable, Pager } from '../../shared/table.tsx';
import { Actors, type AuditEvent, EventDialog, RequestId, useDataOf } from './event.tsx';
import { auditTexts } from './texts.ts';

const names = ['actor_id', 'action', 'subject', 'category', 'from', 'to', 'request_id'] as const;
const formats = ['csv', 'xlsx'] as const;
const categories = ['action', 'security'] as const;
const pageSize = 50;

/** What was done in the registry, by whom and for whom. */
export function AuditPage() {
  const { words, language, moment } = useLanguage();
  const texts = useTexts(auditTexts);
  const dataOf = useDataOf();
  const [{ page = '1', actor_id: actor, category: wanted, ...others }, change] = useFilters<(typeof names)[number] | 'page'>();
  const [opened, setOpened] = useState<AuditEvent | null>(null);
  const category = categories.find((each) => each === wanted);
  const query = {
    ...others,
    ...(actor !== undefined && { actor_id: Number(actor) }),
    ...(category !== undefined && { category }),
  };
  const { data, error, refetch } = useQuery({
    ...read('/admin/audit', { params: { query: { ...query, page: Number(page), limit: pageSize } } }),
    placeholderData: keepPreviousData,
    throwOnError: false,
  });
  // Excel reads semicolons where the comma separates decimals.
  const delimiter = language === 'en' ? ',' : ';';
  return (
    <Page
      title={words.sections.audit}
      actions={
        <Group gap="xs" align="start">
          {formats.map((format) => (
            <DownloadButton
              key={format}
              name={`audit.${format}`}
              read={() => registry.GET('/admin/audit/export', { params: { query: { ...query, format, delimiter } }, parseAs: 'blob' })}
            >
              {texts.download(format.toUpperCase())}
            </DownloadButton>
          ))}
        </Group>
      }
    >
      <Group gap="xs" align="end">
        <FilterText label={texts.filters.actor} value={actor} onChange={(typed) => change({ actor_id: typed })} />
        <FilterText
          label={words.action}
          placeholder="document.approved"
          value={others.action}
          onChange={(typed) => change({ action: typed })}
        />
        <FilterText
          label={texts.filters.subject}
          placeholder="document/12"
          value={others.subject}
          onChange={(typed) => change({ subject: typed })}
        />
        <FilterText label={words.problems.requestId} value={others.request_id} onChange={(typed) => change({ request_id: typed })} />
        <FilterDay label={texts.filters.from} value={others.from} onChange={(day) => change({ from: day })} />
        <FilterDay label={texts.filters.to} value={others.to} onChange={(day) => change({ to: day })} />
        <FilterChoice
          label={texts.filters.category}
          choices={categories.map((each) => [each, texts.categories[each]])}
          value={category}
          onChange={(chosen) => change({ category: chosen })}
        />
        <Button variant="subtle" onClick={() => change(Object.fromEntries(names.map((name) => [name, null])))}>
          {texts.clear}
        </Button>
      </Group>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {error === null && data !== undefined && (
        <div>
          <DataTable
            label={words.sections.audit}
            rows={data.data}
            keyOf={({ category: part, id }) => `${part}/${id}`}
            empty={texts.empty}
            columns={[
              { title: words.at, cell: ({ at }) => moment(at) },
              {
                title: words.action,
                cell: (event) => (
                  <Anchor component="button" size="sm" onClick={() => setOpened(event)}>
                    {event.action}
                  </Anchor>
                ),
              },
              { title: words.actor, cell: (event) => <Actors event={event} /> },
              { title: texts.columns.record, cell: ({ subject }) => <RecordLink kind={subject.kind} id={subject.id} /> },
              {
                title: texts.columns.data,
                isMain: true,
                cell: (event) =>
                  dataOf(event)
                    .map((pair) => pair.join(': '))
                    .join('; '),
              },
              { title: words.problems.requestId, cell: ({ request_id: id }) => <RequestId id={id} isShort /> },
            ]}
          />
          <Pager meta={data.meta} onPage={(next) => change({ page: String(next) })} />
        </div>
      )}
      {opened !== null && <EventDialog event={opened} onClose={() => setOpened(null)} />}
    </Page>
  );
}
