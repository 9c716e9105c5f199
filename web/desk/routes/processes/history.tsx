import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTexts } from '../../shared/language.tsx';
import { Problem } from '../../shared/problem.tsx';
import { read } from '../../shared/queries.ts';
import { RecordLink } from '../../shared/record-link.tsx';
import { PagedTable } from '../../shared/table.tsx';
import { processTexts } from './texts.ts';

/** What administrators did to processes, the newest first. @param process the only one, `kind/id` */
export function ActionHistory({ process, page, onPage }: { process: string | undefined; page: number; onPage(page: number): void }) {
  const { words, moment, texts } = useTexts(processTexts);
  const list = read('/admin/processes/actions', { params: { query: { page, ...(process?.includes('/') && { process }) } } });
  const { data, error, refetch } = useQuery({ ...list, placeholderData: keepPreviousData, throwOnError: false });
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />;
  return (
    <PagedTable
      label={texts.history}
      answer={data}
      onPage={onPage}
      keyOf={({ id }) => id}
      empty={texts.noHistory}
      columns={[
        { title: words.at, cell: ({ at }) => moment(at) },
        {
          title: texts.record,
          cell: ({ workflow_id: ref }) => <RecordLink kind={ref.split('/')[0] ?? ''} id={ref.split('/')[1] ?? ''} />,
        },
        { title: words.action, cell: ({ action }) => texts.actions[action] },
        { title: words.reason, isMain: true, cell: ({ reason }) => <span title={reason}>{reason}</span> },
        { title: words.actor, cell: ({ actor_id: id }) => <RecordLink kind="user" id={id} /> },
        { title: words.sections.audit, cell: ({ request_id: id }) => <RecordLink kind="request" id={id} name={id.slice(0, 8)} /> },
      ]}
    />
  );
}
