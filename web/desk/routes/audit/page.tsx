import { Anchor, Group } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { DownloadButton } from '../../shared/download.tsx';
import { FilterChoice, FilterDay, FilterText } from '../../shared/filter-fields.tsx';
import { given, oneOf, pageOf, useFilters } from '../../shared/filters.ts';
import { useTexts } from '../../shared/language.tsx';
import { Page } from '../../shared/page.tsx';
import { Problem } from '../../shared/problem.tsx';
import { read } from '../../shared/queries.ts';
import { RecordLink } from '../../shared/record-link.tsx';
import { registry } from '../../shared/registry.ts';
import { PagedTable } from '../../shared/table.tsx';
import { Actors, type AuditEvent, EventDialog, lineOf, useFactsOf } from './event.tsx';
import { auditTexts } from './texts.ts';

const formats = ['csv', 'xlsx'] as const;
const categories = ['action', 'security'] as const;
const limit = 50;

/** What was done in the registry, by whom and for whom. */
export function RoutePage() {
  const { words, language, moment, texts } = useTexts(auditTexts);
  const factsOf = useFactsOf();
  const [filters, change, field] = useFilters<'actor_id' | 'action' | 'subject' | 'category' | 'from' | 'to' | 'request_id' | 'page'>();
  const [opened, setOpened] = useState<AuditEvent | null>(null);
  const { page, actor_id: actor, category, ...others } = filters;
  const query = given({ ...others, actor_id: actor === undefined ? actor : Number(actor), category: oneOf(categories, category) });
  const list = read('/admin/audit', { params: { query: { ...query, page: pageOf(page), limit } } });
  const { data, error, refetch } = useQuery({ ...list, placeholderData: keepPreviousData, throwOnError: false });
  // Excel reads semicolons where the comma separates decimals.
  const delimiter = language === 'en' ? ',' : ';';
  const fields = [
    ['actor_id', texts.actor, ''],
    ['action', words.action, 'document.approved'],
    ['subject', texts.subject, 'document/12'],
    ['request_id', words.problems.requestId, ''],
  ] as const;
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
        {fields.map(([name, label, example]) => (
          <FilterText key={name} label={label} placeholder={example} {...field(name)} />
        ))}
        {(['from', 'to'] as const).map((name) => (
          <FilterDay key={name} label={texts[name]} {...field(name)} />
        ))}
        <FilterChoice label={texts.category} choices={categories.map((each) => [each, texts.categories[each]])} {...field('category')} />
      </Group>
      {error !== null ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : (
        <PagedTable
          label={words.sections.audit}
          answer={data}
          onPage={(next) => change({ page: String(next) })}
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
            { title: texts.record, cell: ({ subject }) => <RecordLink kind={subject.kind} id={subject.id} /> },
            { title: texts.data, isMain: true, cell: (event) => lineOf(factsOf(event.data)) },
            { title: words.kinds.request, cell: ({ request_id: id }) => <RecordLink kind="request" id={id} name={id.slice(0, 8)} /> },
          ]}
        />
      )}
      {opened !== null && <EventDialog event={opened} onClose={() => setOpened(null)} />}
    </Page>
  );
}
