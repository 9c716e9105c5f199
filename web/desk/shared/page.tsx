import { Card, Group, Stack, Table, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { useLanguage } from './language.tsx';

/** A page: its title, what can be done to all of it, its sections. */
export function Page({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  const { words } = useLanguage();
  useEffect(() => {
    document.title = `${title} · ${words.title}`;
  }, [title, words]);
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={1} size="h3">
          {title}
        </Title>
        {actions}
      </Group>
      {children}
    </Stack>
  );
}

/** One subject of a page with its own actions. */
export function Section({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <Card withBorder padding="sm" component="section" aria-label={title}>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          {title}
        </Title>
        {actions}
      </Group>
      {children}
    </Card>
  );
}

export type Fact = readonly [name: string, value: ReactNode];

/** Names with their values; facts without a value are left out. */
export function Facts({ facts, align }: { facts: readonly Fact[]; align?: 'right' }) {
  return (
    <Table>
      <Table.Tbody>
        {facts
          .filter(([, value]) => value !== null && value !== undefined && value !== '')
          .map(([name, value], index) => (
            <Table.Tr key={`${name} ${index}`}>
              <Table.Th scope="row" fw={400} c="dimmed" w={align === 'right' ? undefined : '40%'}>
                {name}
              </Table.Th>
              <Table.Td ta={align} style={{ overflowWrap: 'anywhere' }}>
                {value}
              </Table.Td>
            </Table.Tr>
          ))}
      </Table.Tbody>
    </Table>
  );
}

/** Says why there is nothing, and what to do. */
export function Empty({ children }: { children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed" py="sm">
      {children}
    </Text>
  );
}
