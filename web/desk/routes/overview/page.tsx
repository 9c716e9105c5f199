import { Button, Group, SimpleGrid, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { given } from '../../shared/filters.ts';
import { useTexts } from '../../shared/language.tsx';
import { type Fact, Facts, Page, Section } from '../../shared/page.tsx';
import { overviewQuery } from '../../shared/queries.ts';
import type { Address } from '../../shared/record-link.tsx';
import { wordOf } from '../../shared/status.tsx';
import { TextLink } from '../../shared/text-link.tsx';
import { defineTexts } from '../../shared/texts.ts';

const overviewTexts = defineTexts({
  failedUnknown: ['неизвестно: Temporal недоступен', 'белгісіз: Temporal қолжетімсіз', 'unknown: Temporal is unavailable'],
  money: ['Деньги', 'Ақша', 'Money'],
  paidInToday: ['Пополнения сегодня', 'Бүгінгі толтырулар', 'Paid in today'],
  incomeToday: ['Оплата услуг сегодня', 'Бүгін төленген қызметтер', 'Paid for services today'],
  premiumToday: ['Премии сегодня', 'Бүгінгі сыйлықақылар', 'Premiums today'],
  refundedToday: ['Возвраты сегодня', 'Бүгінгі қайтарулар', 'Refunded today'],
  income: ['Доход от услуг, всего', 'Қызметтерден түскен кіріс, барлығы', 'Income of services, total'],
  premium: ['Страховые премии, всего', 'Сақтандыру сыйлықақылары, барлығы', 'Insurance premiums, total'],
  wallets: ['В кошельках', 'Әмияндарда', 'In wallets'],
});

const states = ['stuck', 'failed', 'running', 'waiting'] as const;

/** What waits, what is stuck and what was paid: each number leads to its list. */
export function RoutePage() {
  const { words, number, money, ago, texts } = useTexts(overviewTexts);
  const { data, refetch, isFetching } = useSuspenseQuery(overviewQuery);
  const { at, queue, waiting_since: since, processes, money: sums } = data.data;
  const linked = (name: string, value: string, address: Address, oldest?: string | null): Fact => [
    name,
    <Group key={name} gap="md" justify="flex-end" wrap="nowrap">
      <Text size="xs">{oldest && ago(oldest)}</Text>
      <TextLink {...address} fw={600} miw={32}>
        {value}
      </TextLink>
    </Group>,
  ];
  const queued = Object.entries(queue).map(([kind, count]) =>
    linked(wordOf(kind, words.kinds), number(count), { to: '/queue', search: { kind } }, since[kind]),
  );
  const inStates = states.map((state) => {
    const count = processes[state];
    const shown = count === null ? texts.failedUnknown : number(count);
    return linked(words.processes[state], shown, { to: '/processes', search: { state } });
  });
  const events = (action: string, from?: string): Address => ({ to: '/audit', search: given({ action, from }) });
  const { today } = sums;
  const day = at.slice(0, 'YYYY-MM-DD'.length);
  const booked = [
    linked(texts.paidInToday, money(today.paid_in_minor), events('invoice.paid', day)),
    linked(texts.incomeToday, money(today.income_minor), events('application.paid', day)),
    linked(texts.premiumToday, money(today.premium_minor), events('application.paid', day)),
    linked(texts.refundedToday, money(today.refunded_minor), events('application.refunded', day)),
    linked(texts.income, money(sums.income_minor), events('application.paid')),
    linked(texts.premium, money(sums.premium_minor), events('application.paid')),
    linked(texts.wallets, money(sums.wallets_minor), events('invoice.paid')),
  ];
  const sections = [
    [words.sections.queue, queued],
    [words.sections.processes, inStates],
    [texts.money, booked],
  ] as const;
  return (
    <Page
      title={words.sections.overview}
      actions={
        <Button variant="default" loading={isFetching} onClick={() => void refetch()}>
          {words.refresh}
        </Button>
      }
    >
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        {sections.map(([title, facts]) => (
          <Section key={title} title={title}>
            <Facts align="right" facts={facts} />
          </Section>
        ))}
      </SimpleGrid>
    </Page>
  );
}
