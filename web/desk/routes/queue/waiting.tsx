import { Group, Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useClockLead } from '../../shared/clock.ts';
import { FilterChoice, FilterText } from '../../shared/filter-fields.tsx';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { Page } from '../../shared/page.tsx';
import { Problem } from '../../shared/problem.tsx';
import { overviewQuery } from '../../shared/queries.ts';
import { isSessionOver } from '../../shared/registry.ts';
import { wordOf } from '../../shared/status.tsx';
import { Pager } from '../../shared/table.tsx';
import { NothingWaits, QueueRow } from './row.tsx';
import { queueTexts } from './texts.ts';
import { nameOf, queueKinds, rereadMs, type useQueue } from './use-queue.ts';

const dayMs = 86_400_000;
/** The days of the registry begin at UTC+5. */
const offsetMs = 5 * 3_600_000;
/** Days. */
const ages = [1, 3, 7, 30] as const;

/** The list with its filters. */
export function Waiting({ queue, isBesideRecord }: { queue: ReturnType<typeof useQueue>; isBesideRecord: boolean }) {
  const { words, number, day } = useLanguage();
  const texts = useTexts(queueTexts);
  const now = Date.now() + useClockLead();
  const { list, items, filters, change } = queue;
  const { kind, q, waiting_before: before } = filters;
  const counts = useQuery({ ...overviewQuery, refetchInterval: rereadMs, throwOnError: false }).data?.data.queue;
  const wordsOfAges = new Map(ages.map((days) => [dayAt(now - days * dayMs), texts.ages[days]]));
  if (before !== undefined && !wordsOfAges.has(before)) wordsOfAges.set(before, texts.before(day(before)));
  return (
    <Page title={words.sections.queue}>
      <Group align="end" gap="xs">
        <FilterText label={texts.words} placeholder={texts.wordsHint} value={q} onChange={(text) => change({ q: text, open: null })} />
        <Group gap="xs" grow w={{ base: '100%', xs: 280 }}>
          <FilterChoice
            label={texts.kind}
            choices={queueKinds.map((each) => [
              each,
              counts ? texts.counted(words.kinds[each], number(counts[each] ?? 0)) : words.kinds[each],
            ])}
            value={kind}
            onChange={(chosen) => change({ kind: chosen, open: null })}
          />
          <FilterChoice
            label={texts.age}
            choices={[...wordsOfAges]}
            value={before}
            onChange={(chosen) => change({ waiting_before: chosen, open: null })}
          />
        </Group>
      </Group>
      {list.error !== null && !isSessionOver(list.error) && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Loader />}
      {list.data?.data.length === 0 && (
        <NothingWaits
          filters={[
            [texts.kind, kind && wordOf(kind, words.kinds)],
            [texts.words, q],
            [texts.age, before && wordsOfAges.get(before)],
          ]}
          onClear={() => change({ kind: null, q: null, waiting_before: null, open: null })}
        />
      )}
      {items.length > 0 && list.data !== undefined && (
        <>
          <nav aria-label={words.sections.queue}>
            {items.map((item) => (
              <QueueRow key={nameOf(item)} item={item} filters={filters} openName={queue.opened.name} replaces={isBesideRecord} />
            ))}
          </nav>
          <Pager meta={list.data.meta} onPage={(page) => change({ page: String(page), open: null })} />
        </>
      )}
    </Page>
  );
}

/** The day of the registry at an instant: what began to wait before this day began to wait before the instant. */
function dayAt(instantMs: number): string {
  return new Date(instantMs + offsetMs).toISOString().slice(0, 10);
}
