import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useFilters } from '../../shared/filters.ts';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { Problem } from '../../shared/problem.tsx';
import { read } from '../../shared/queries.ts';
import { RecordLink } from '../../shared/record-link.tsx';
import { DataTable, Pager } from '../../shared/table.tsx';
import { TextLink } from '../../shared/text-link.tsx';
import { processTexts } from './texts.ts';

/** What administrators did to processes, the newest first; of one process when the filter names it. */
export function ActionHistory() {
  const { words, moment } = useLanguage();
  const texts = useTexts(processTexts);
  const [{ q, page = '1' }, change] = useFilters<'q' | 'page'>();
  const query = { page: Number(page), ...(q?.includes('/') && { process: q }) };
  const { data, error, refetch } = useQuery({
    ...read('/admin/processes/actions', { params: { query } }),
    placeholderData: keepPreviousData,
    throwOnError: false,
  });
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return null;
  return (
    <>
      <DataTable
        label={texts.filters.history}
        rows={data.data}
        keyOf={({ id }) => id}
        empty={texts.noHistory}
        columns={[
          { title: words.at, cell: ({ at }) => moment(at) },
          {
            title: texts.columns.record,
            cell: ({ workflow_id: ref }) => {
              const [kind = '', id = ''] = ref.split('/');
              return <RecordLink kind={kind} id={id} />;
            },
          },
          { title: words.action, cell: ({ action }) => texts.actions[action] },
          { title: words.reason, isMain: true, cell: ({ reason }) => <span title={reason}>{reason}</span> },
          { title: words.actor, cell: ({ actor_id: id }) => <RecordLink kind="user" id={id} /> },
          {
            title: words.sections.audit,
            cell: ({ request_id: id }) => (
              <TextLink to="/audit" search={{ request_id: id }}>
                {id.slice(0, 8)}
              </TextLink>
            ),
          },
        ]}
      />
      <Pager meta={data.meta} onPage={(next) => change({ page: String(next) })} />
    </>
  );
}
