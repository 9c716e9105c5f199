import { Group, List, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { components } from '../../../../client/src/index.ts';
import { useTexts } from '../../shared/language.tsx';
import { RecordLink } from '../../shared/record-link.tsx';
import { wordOf } from '../../shared/status.tsx';
import { nationalTexts } from './texts.ts';

type Row = components['schemas']['NationalCertificate'];

/** Links to applications: their ids, and the names that a page of the list has shown. */
export function ApplicationLinks({ ids }: { ids: readonly number[] }) {
  const client = useQueryClient();
  const rows = client.getQueriesData<{ data: Row[] }>({ queryKey: ['/admin/national'] }).flatMap(([, answer]) => answer?.data ?? []);
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return (
    <Group gap="md" style={{ rowGap: 0 }}>
      {ids.map((id) => (
        <RecordLink key={id} kind="application" id={id} name={['№', id, names.get(id)].join(' ')} />
      ))}
    </Group>
  );
}

/** Says what is wrong with some applications, those with the same problems together. */
export function RecordProblems({ title, records }: { title: string; records: readonly { id: number; problems: readonly string[] }[] }) {
  const { words, texts } = useTexts(nationalTexts);
  const sentences = { ...words.problems.codes, ...texts.problems };
  const groups = Map.groupBy(records, ({ problems }) => problems.map((problem) => wordOf(problem, sentences)).join('; '));
  if (records.length === 0) return null;
  return (
    <div>
      <Text size="sm">{title}</Text>
      <List size="sm">
        {[...groups].map(([text, records]) => (
          <List.Item key={text}>
            {text}
            <ApplicationLinks ids={records.map(({ id }) => id)} />
          </List.Item>
        ))}
      </List>
    </div>
  );
}
