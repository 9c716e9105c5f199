import { Button, Group, Tabs, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { FilterChoice, FilterText } from '../../shared/filter-fields.tsx';
import { useFilters } from '../../shared/filters.ts';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { Page } from '../../shared/page.tsx';
import { overviewQuery } from '../../shared/queries.ts';
import { wordOf } from '../../shared/status.tsx';
import { ActionHistory } from './history.tsx';
import { ProcessList, type ProcessQuery } from './list.tsx';
import { RunReport } from './run-report.tsx';
import { isRunning, useRun } from './run.ts';
import { processTexts } from './texts.ts';

const states = ['stuck', 'failed', 'waiting', 'running'] as const;
const kinds = 'profile document application invoice event registration agreement national-export status-list webhook delivery'.split(' ');
const changedReads = new Set<unknown>(['/admin/processes', '/admin/processes/actions', '/admin/overview']);

/** Processes by their state: why they stand, and what an administrator can do to one or many. */
export function ProcessesPage() {
  const { words, number } = useLanguage();
  const texts = useTexts(processTexts);
  const client = useQueryClient();
  const [{ state: tab = 'all', kind, q, page = '1' }, change] = useFilters<'state' | 'kind' | 'q' | 'page'>();
  const { data } = useQuery({ ...overviewQuery, throwOnError: false });
  const refresh = () => client.invalidateQueries({ predicate: ({ queryKey }) => changedReads.has(queryKey[0]) });
  const { run, start, again, forget } = useRun(() => void refresh());
  const state = states.find((each) => each === tab);
  const query: ProcessQuery = { ...(state && { state }), ...(kind !== undefined && { kind }), ...(q !== undefined && { q }) };
  const countOf = (each: (typeof states)[number]) => {
    const count = data?.data.processes[each];
    return count === null ? '?' : count === undefined ? '' : number(count);
  };
  return (
    <Page
      title={words.sections.processes}
      actions={
        <Button variant="default" onClick={() => void refresh()}>
          {words.refresh}
        </Button>
      }
    >
      {run !== null && <RunReport run={run} onAgain={(process) => again(process, run)} onClose={forget} />}
      <Tabs value={tab} keepMounted={false} onChange={(next) => change({ state: next === 'all' ? null : next })}>
        <Tabs.List>
          {states.map((each) => (
            <Tabs.Tab key={each} value={each} rightSection={<Text size="xs">{countOf(each)}</Text>}>
              {words.processes[each]}
            </Tabs.Tab>
          ))}
          <Tabs.Tab value="all">{words.all}</Tabs.Tab>
          <Tabs.Tab value="history">{texts.filters.history}</Tabs.Tab>
        </Tabs.List>
        <Group gap="xs" my="xs" align="end">
          {tab !== 'history' && (
            <FilterChoice
              label={texts.filters.kind}
              choices={kinds.map((each) => [each, wordOf(each.replace('-', '_'), words.kinds)])}
              value={kind}
              onChange={(chosen) => change({ kind: chosen })}
            />
          )}
          <FilterText label={texts.filters.number} placeholder="application/12" value={q} onChange={(typed) => change({ q: typed })} />
        </Group>
        <Tabs.Panel value={tab}>
          {tab === 'history' ? (
            <ActionHistory />
          ) : (
            <ProcessList
              key={JSON.stringify(query)}
              query={query}
              page={Number(page)}
              onPage={(next) => change({ page: String(next) })}
              isBusy={isRunning(run)}
              onAct={start}
            />
          )}
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
