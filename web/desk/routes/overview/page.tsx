import { Button, Card, Group, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useLanguage } from '../../shared/language.tsx';
import { read } from '../../shared/queries.ts';

const overview = read('/admin/overview');

/** What waits, what is stuck and what was paid: each number of the day. */
export function OverviewPage() {
  const { words, number, money, moment } = useLanguage();
  const { data, refetch, isFetching } = useSuspenseQuery(overview);
  const { queue, oldest, processes, money: sums } = data.data;
  const waiting = Object.entries(queue).filter(([, count]) => count > 0);
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1} size="h3">
          {words.sections.overview}
        </Title>
        <Button variant="default" loading={isFetching} onClick={() => void refetch()}>
          {words.refresh}
        </Button>
      </Group>
      <SimpleGrid cols={{ base: 1, md: 3 }}>
        <Section title={words.overview.queue}>
          {waiting.length === 0 ? (
            <Text size="sm">{words.overview.empty}</Text>
          ) : (
            <Rows rows={waiting.map(([kind, count]) => [kindOf(kind, words.kinds), number(count)])} />
          )}
          {oldest !== null && (
            <Text size="xs" c="dimmed" mt="xs">
              {words.overview.oldest(oldest.title, moment(oldest.waiting_since))}
            </Text>
          )}
        </Section>
        <Section title={words.overview.processes}>
          <Rows
            rows={(['running', 'waiting', 'stuck', 'failed'] as const).map((state) => {
              const count = processes[state];
              return [words.overview.states[state], count === null ? words.overview.failedUnknown : number(count)];
            })}
          />
        </Section>
        <Section title={words.overview.money}>
          <Rows
            rows={[
              [words.overview.wallets, money(sums.wallets_minor)],
              [words.overview.income, money(sums.income_minor)],
              [words.overview.premium, money(sums.premium_minor)],
            ]}
          />
        </Section>
      </SimpleGrid>
    </Stack>
  );
}

function Section({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <Card withBorder padding="sm">
      <Title order={2} size="h5" mb="xs">
        {title}
      </Title>
      {children}
    </Card>
  );
}

function Rows({ rows }: { rows: readonly (readonly [string, string])[] }) {
  return (
    <Table>
      <Table.Tbody>
        {rows.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" fw={400}>
              {name}
            </Table.Th>
            <Table.Td ta="right">{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** A later release of the API may have further kinds. */
function kindOf(kind: string, kinds: Record<string, string>): string {
  return kinds[kind] ?? kind;
}
