import { Group, List, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { components } from '../../../../client/src/index.ts';
import { RecordLink } from '../../shared/record-link.tsx';
import { wordOf } from '../../shared/status.tsx';

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

interface RecordProblemsProps {
  title: string;
  records: readonly { id: number; problems: readonly string[] }[];
  /** Sentences of problems, by code. */
  sentences: Readonly<Record<string, string>>;
}

/** Says what is wrong with some applications, those with the same problems together. */
export function RecordProblems({ title, records, sentences }: RecordProblemsProps) {
  if (records.length === 0) return null;
  const groups = Map.groupBy(records, ({ problems }) => problems.map((problem) => wordOf(problem, sentences)).join('; '));
  return (
    <div>
      <Text size="sm" fw={600}>
        {title}
      </Text>
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
