import { Button, Loader } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { given } from '../../../shared/filters.ts';
import { useTexts } from '../../../shared/language.tsx';
import { read } from '../../../shared/queries.ts';
import { RecordLink } from '../../../shared/record-link.tsx';
import { DataTable, PagedTable } from '../../../shared/table.tsx';
import { peopleTexts } from '../texts.ts';

/** The browsers in which the person is signed in; a block ends them. */
export function Sessions({ userId }: { userId: number }) {
  const { moment, texts } = useTexts(peopleTexts);
  const [page, setPage] = useState(1);
  const init = { params: { path: { id: userId }, query: { page } } };
  const { data } = useQuery({ ...read('/admin/users/{id}/sessions', init), placeholderData: keepPreviousData });
  return (
    <PagedTable
      label={texts.sessions}
      answer={data}
      keyOf={({ id }) => id}
      empty={texts.nothing}
      columns={[
        { title: texts.signedIn, cell: ({ created_at: at }) => moment(at) },
        { title: texts.seen, cell: ({ last_seen_at: at }) => moment(at) },
        { title: 'IP', cell: ({ ip }) => ip },
        { title: texts.browser, isMain: true, cell: ({ user_agent: browser }) => <span title={browser ?? ''}>{browser}</span> },
        { title: texts.expires, cell: ({ expires_at: at }) => moment(at) },
      ]}
      onPage={setPage}
    />
  );
}

/** The requests of the account to the API, for questions like "why was I refused". */
export function Requests({ userId }: { userId: number }) {
  const { words, moment, number, texts } = useTexts(peopleTexts);
  const [after, setAfter] = useState<number>();
  const init = { params: { path: { id: userId }, query: given({ after }) } };
  const { data } = useQuery({ ...read('/admin/users/{id}/requests', init), placeholderData: keepPreviousData });
  if (data === undefined) return <Loader size="sm" />;
  const { next } = data.meta;
  return (
    <>
      <DataTable
        label={texts.requests}
        rows={data.data}
        keyOf={({ at, request_id: requestId }) => `${at} ${requestId}`}
        empty={texts.nothing}
        columns={[
          { title: words.at, cell: ({ at }) => moment(at) },
          { title: words.kinds.request, isMain: true, cell: ({ method, route }) => `${method} ${route}` },
          { title: texts.answer, cell: ({ status, code }) => `${status} ${code ?? ''}` },
          { title: texts.duration, align: 'right', cell: ({ duration_ms: duration }) => number(duration) },
          { title: words.sections.audit, cell: ({ request_id: id }) => <RecordLink kind="request" id={id} name={id.slice(0, 8)} /> },
        ]}
      />
      {(after !== undefined || next !== null) && (
        <Button variant="default" mt="xs" onClick={() => setAfter(next ?? undefined)}>
          {next === null ? words.list.pages.first : words.list.pages.next}
        </Button>
      )}
    </>
  );
}
