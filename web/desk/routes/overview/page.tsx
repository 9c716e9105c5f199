import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { type Fact, Facts, Page, Section } from '../../shared/page.tsx';
import { overviewQuery } from '../../shared/queries.ts';
import { wordOf } from '../../shared/status.tsx';
import { TextLink } from '../../shared/text-link.tsx';
import { overviewTexts } from './texts.ts';

/** What waits, what is stuck and what was paid: each number of the day leads to its list. */
export function OverviewPage() {
  const { words, number, money, ago } = useLanguage();
  const texts = useTexts(overviewTexts);
  const { data, refetch, isFetching } = useSuspenseQuery(overviewQuery);
  const { at, queue, waiting_since: since, processes, money: sums, states } = data.data;
  const queued = ([kind, count]: [string, number]): Fact => [
    wordOf(kind, words.kinds),
    <Group key={kind} gap="md" justify="flex-end" wrap="nowrap">
      <Text size="xs" style={{ whiteSpace: 'nowrap' }}>
        {since[kind] && ago(since[kind])}
      </Text>
      <TextLink to="/queue" search={{ kind }} fw={600} miw={32}>
        {number(count)}
      </TextLink>
    </Group>,
  ];
  const inState = (state: keyof typeof processes): Fact => [
    words.processes[state],
    <TextLink key={state} to="/processes" search={{ state }} fw={600}>
      {processes[state] === null ? texts.failedUnknown : number(processes[state])}
    </TextLink>,
  ];
  const booked = (name: string, minor: number, search: { action: string; from?: string }): Fact => [
    name,
    <TextLink key={name} to="/audit" search={search}>
      {money(minor)}
    </TextLink>,
  ];
  const { today } = sums;
  const from = at.slice(0, 'YYYY-MM-DD'.length);
  return (
    <Page
      title={words.sections.overview}
      actions={
        <Button variant="default" loading={isFetching} onClick={() => void refetch()}>
          {words.refresh}
        </Button>
      }
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Section title={words.sections.queue}>
          <Facts align="right" facts={Object.entries(queue).map(queued)} />
        </Section>
        <Stack>
          <Section title={words.sections.processes}>
            <Facts align="right" facts={(['stuck', 'failed', 'running', 'waiting'] as const).map(inState)} />
          </Section>
          <Section title={texts.money}>
            <Facts
              align="right"
              facts={[
                booked(texts.today.paidIn, today.paid_in_minor, { action: 'invoice.paid', from }),
                booked(texts.today.income, today.income_minor, { action: 'application.paid', from }),
                booked(texts.today.premium, today.premium_minor, { action: 'application.paid', from }),
                booked(texts.today.refunded, today.refunded_minor, { action: 'application.refunded', from }),
                booked(texts.ever.income, sums.income_minor, { action: 'application.paid' }),
                booked(texts.ever.premium, sums.premium_minor, { action: 'application.paid' }),
                booked(texts.ever.wallets, sums.wallets_minor, { action: 'invoice.paid' }),
              ]}
            />
          </Section>
        </Stack>
      </SimpleGrid>
      <details>
        <summary>{texts.states}</summary>
        <Facts
          facts={Object.entries(states).map(([kind, counts]) => [
            wordOf(kind, words.kinds),
            Object.entries(counts)
              .map(([state, count]) => `${wordOf(state, words.statuses)}: ${number(count)}`)
              .join(', '),
          ])}
        />
      </details>
    </Page>
  );
}
