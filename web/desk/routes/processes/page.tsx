import { Button, Group, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { FilterChoice, FilterText } from '../../shared/filter-fields.tsx';
import { given, oneOf, pageOf, useFilters } from '../../shared/filters.ts';
import { useTexts } from '../../shared/language.tsx';
import { Page } from '../../shared/page.tsx';
import { overviewQuery, reread } from '../../shared/queries.ts';
import { wordOf } from '../../shared/status.tsx';
import { ActionHistory } from './history.tsx';
import { ProcessList } from './list.tsx';
import { RunReport, useRun } from './run.tsx';
import { processTexts } from './texts.ts';

const states = ['stuck', 'failed', 'waiting', 'running'] as const;
const kinds = `profile document application invoice event registration agreement
  import national-export account-export account-erasure status-list webhook delivery`.split(/\s+/);

/** Processes by their state: why they stand, and what an administrator can do to one or many. */
export function RoutePage() {
  const { words, number, texts } = useTexts(processTexts);
  const [{ state: tab = 'all', kind, q, page }, change, field] = useFilters<'state' | 'kind' | 'q' | 'page'>();
  const choices = kinds.map((each) => [each, wordOf(each.replace('-', '_'), words.kinds)] as const);
  const counts = useQuery({ ...overviewQuery, throwOnError: false }).data?.data.processes;
  const run = useRun(() => void reread());
  const query = given({ state: oneOf(states, tab), kind, q });
  const paging = { page: pageOf(page), onPage: (next: number) => change({ page: String(next) }) };
  return (
    <Page
      title={words.sections.processes}
      actions={
        <Button variant="default" onClick={() => void reread()}>
          {words.refresh}
        </Button>
      }
    >
      <RunReport {...run} />
      <Tabs value={tab} keepMounted={false} onChange={(next) => change({ state: next === 'all' ? null : next })}>
        <Tabs.List>
          {states.map((each) => (
            <Tabs.Tab
              key={each}
              value={each}
              rightSection={counts && <Text size="xs">{counts[each] === null ? '?' : number(counts[each])}</Text>}
            >
              {words.processes[each]}
            </Tabs.Tab>
          ))}
          <Tabs.Tab value="all">{words.all}</Tabs.Tab>
          <Tabs.Tab value="history">{texts.history}</Tabs.Tab>
        </Tabs.List>
        <Group gap="xs" my="xs" align="end">
          {tab !== 'history' && <FilterChoice label={texts.kind} choices={choices} {...field('kind')} />}
          <FilterText label={texts.number} placeholder="application/12" {...field('q')} />
        </Group>
        <Tabs.Panel value={tab}>
          {tab === 'history' ? (
            <ActionHistory process={q} {...paging} />
          ) : (
            <ProcessList key={JSON.stringify(query)} query={query} {...paging} isBusy={run.isBusy} onAct={run.start} />
          )}
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
