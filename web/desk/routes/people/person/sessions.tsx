import { Loader } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLanguage, useTexts } from '../../../shared/language.tsx';
import { read } from '../../../shared/queries.ts';
import { DataTable, Pager } from '../../../shared/table.tsx';
import { peopleTexts } from '../texts.ts';
import { personTexts } from './texts.ts';

/** The browsers in which the person is signed in; a block ends them. */
export function Sessions({ userId }: { userId: number }) {
  const { moment } = useLanguage();
  const texts = { ...useTexts(peopleTexts), ...useTexts(personTexts) };
  const [page, setPage] = useState(1);
  const init = { params: { path: { id: userId }, query: { page } } };
  const { data } = useQuery({ ...read('/admin/users/{id}/sessions', init), placeholderData: keepPreviousData });
  if (data === undefined) return <Loader size="sm" />;
  return (
    <>
      <DataTable
        label={texts.sessions}
        rows={data.data}
        keyOf={({ id }) => id}
        empty={texts.noSessions}
        columns={[
          { title: texts.signedIn, cell: ({ created_at: at }) => moment(at) },
          { title: texts.seen, cell: ({ last_seen_at: at }) => moment(at) },
          { title: 'IP', cell: ({ ip }) => ip },
          { title: texts.browser, isMain: true, cell: ({ user_agent: browser }) => <span title={browser ?? ''}>{browser}</span> },
          { title: texts.expires, cell: ({ expires_at: at }) => moment(at) },
        ]}
      />
      {data.data.length > 0 && <Pager meta={data.meta} onPage={setPage} />}
    </>
  );
}
