import { Button, Group, Loader, NavLink, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useClockLead } from '../../shared/clock.ts';
import { FilterChoice, FilterText } from '../../shared/filter-fields.tsx';
import { useTexts } from '../../shared/language.tsx';
import { Empty, Facts, Page } from '../../shared/page.tsx';
import { Problem } from '../../shared/problem.tsx';
import { overviewQuery } from '../../shared/queries.ts';
import { isSessionOver } from '../../shared/registry.ts';
import { wordOf } from '../../shared/status.tsx';
import { Pager } from '../../shared/table.tsx';
import type { QueueItem } from '../records/record.tsx';
import { useRecordTexts } from '../records/texts.ts';
import { queueTexts } from './texts.ts';
import { nameOf, type Queue, rereadMs } from './use-queue.ts';

/** The list with its filters. */
export function Waiting({ queue }: { queue: Queue }) {
  const { words, number, day, texts } = useTexts(queueTexts);
  const nowMs = Date.now() + useClockLead();
  const { list, items, filters, filter } = queue;
  const { kind, q, waiting_before: before } = filters;
  const counts = useQuery({ ...overviewQuery, refetchInterval: rereadMs, throwOnError: false }).data?.data.queue ?? {};
  const kinds = Object.entries(counts).map(([each, count]) => [each, `${wordOf(each, words.kinds)} (${number(count)})`] as const);
  const ages = new Map(Object.entries(texts.ages).map(([days, word]) => [registryDay(nowMs, Number(days)), word] as const));
  if (before !== undefined && !ages.has(before)) ages.set(before, texts.before(day(before)));
  const isFiltered = [kind, q, before].some((value) => value !== undefined);
  return (
    <Page title={words.sections.queue}>
      <Group align="end" gap="xs">
        <FilterText label={texts.words} placeholder={texts.wordsHint} value={q} onChange={(text) => filter({ q: text })} />
        <Group gap="xs" grow w={{ base: '100%', xs: 280 }}>
          <FilterChoice label={texts.kind} choices={kinds} value={kind} onChange={(chosen) => filter({ kind: chosen })} />
          <FilterChoice label={texts.age} choices={[...ages]} value={before} onChange={(chosen) => filter({ waiting_before: chosen })} />
        </Group>
      </Group>
      {list.error !== null && !isSessionOver(list.error) && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Loader />}
      {list.data?.data.length === 0 && (
        <div>
          <Empty>{isFiltered ? texts.nothingFound : texts.empty}</Empty>
          {isFiltered && (
            <>
              <Facts
                facts={[
                  [texts.kind, kind && wordOf(kind, words.kinds)],
                  [texts.words, q],
                  [texts.age, before && ages.get(before)],
                ]}
              />
              <Button variant="default" mt="xs" onClick={() => filter({ kind: null, q: null, waiting_before: null })}>
                {texts.clear}
              </Button>
            </>
          )}
        </div>
      )}
      {items.length > 0 && list.data !== undefined && (
        <>
          <nav aria-label={words.sections.queue}>
            {items.map((item) => (
              <Row key={nameOf(item)} item={item} queue={queue} />
            ))}
          </nav>
          <Pager meta={list.data.meta} onPage={(page) => filter({ page: String(page) })} />
        </>
      )}
    </Page>
  );
}

/** The link to an item, in two lines. */
function Row({ item, queue: { filters, opened } }: { item: QueueItem; queue: Queue }) {
  const { language, words, ago, moment, texts: records } = useRecordTexts();
  const { texts } = useTexts(queueTexts);
  const open = nameOf(item);
  const isOpen = open === opened.name;
  const types = { ...words.kinds, ...words.documentTypes, ...records.stageNames, ...records.incidents, ...records.documentKinds };
  const kind = item.service?.[language] ?? wordOf(item.type ?? item.stage ?? item.kind, types);
  // "Back" leads from the list of a phone to its record and back, but not through all records beside a list.
  const isBesideRecord = opened.name !== undefined;
  return (
    <NavLink
      renderRoot={(props) => (
        <Link {...props} ref={isOpen ? showLink : null} to="/queue" search={{ ...filters, open }} replace={isBesideRecord} />
      )}
      label={
        <Text size="sm" truncate>
          {item.subject ?? item.title}
        </Text>
      }
      description={[kind, ago(item.waiting_since), ...item.flags.map((flag) => texts.flags[flag])].join(' · ')}
      title={moment(item.waiting_since)}
      active={isOpen}
      py={4}
      px="xs"
      style={{ scrollMarginBlock: 48 }}
      // Dimmed, it has too little contrast on the colour of the open item.
      styles={{ description: { opacity: 1 } }}
    />
  );
}

/** As a ref that does not change, it runs once when its link becomes the open one. */
function showLink(link: HTMLAnchorElement | null): void {
  link?.scrollIntoView({ block: 'nearest' });
}

/** The day so many days ago at UTC+5; a record that waits longer began before it. */
function registryDay(nowMs: number, days: number): string {
  return new Date(nowMs + (5 - 24 * days) * 3_600_000).toISOString().slice(0, 10);
}
