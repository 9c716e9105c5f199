import { Button, Group } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState, useTransition } from 'react';
import { given } from '../../../shared/filters.ts';
import { useLanguage, useTexts } from '../../../shared/language.tsx';
import { read } from '../../../shared/queries.ts';
import { DataTable } from '../../../shared/table.tsx';
import { TextLink } from '../../../shared/text-link.tsx';
import { personTexts } from './texts.ts';

/** The requests of the account to the API, for questions like "why was I refused". */
export function Requests({ userId }: { userId: number }) {
  const { words, moment, number } = useLanguage();
  const texts = useTexts(personTexts);
  const [after, setAfter] = useState<number>();
  const [isTurning, startTurning] = useTransition();
  const init = { params: { path: { id: userId }, query: given({ after }) } };
  const { data: requests, meta } = useSuspenseQuery(read('/admin/users/{id}/requests', init)).data;
  return (
    <>
      <DataTable
        label={texts.requests}
        rows={requests}
        keyOf={({ at, request_id: requestId }) => `${at} ${requestId}`}
        empty={texts.noRequests}
        columns={[
          { title: words.at, cell: ({ at }) => moment(at) },
          { title: texts.request, isMain: true, cell: ({ method, route }) => `${method} ${route}` },
          { title: texts.answer, cell: ({ status, code }) => `${status} ${code ?? ''}` },
          { title: texts.duration, align: 'right', cell: ({ duration_ms: duration }) => number(duration) },
          {
            title: words.sections.audit,
            cell: ({ request_id: requestId }) => (
              <TextLink to="/audit" search={{ request_id: requestId }} title={requestId}>
                {requestId.slice(0, 8)}
              </TextLink>
            ),
          },
        ]}
      />
      {(after !== undefined || meta.next !== null) && (
        <Group gap="xs" mt="xs">
          <Button variant="default" disabled={after === undefined} onClick={() => startTurning(() => setAfter(undefined))}>
            {words.list.pages.first}
          </Button>
          <Button
            variant="default"
            disabled={meta.next === null}
            loading={isTurning}
            onClick={() => startTurning(() => setAfter(meta.next ?? undefined))}
          >
            {words.list.pages.next}
          </Button>
        </Group>
      )}
    </>
  );
}
