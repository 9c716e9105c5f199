import { Anchor, Button, Checkbox, Group, Text, Textarea } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { FormDialog } from '../../shared/dialog.tsx';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { Empty } from '../../shared/page.tsx';
import { Problem } from '../../shared/problem.tsx';
import { read } from '../../shared/queries.ts';
import { RecordLink, useRecordName } from '../../shared/record-link.tsx';
import { Status, wordOf } from '../../shared/status.tsx';
import { type Column, DataTable, Pager } from '../../shared/table.tsx';
import type { Action, Process } from './run.ts';
import { processTexts } from './texts.ts';

export interface ProcessQuery {
  state?: Process['state'];
  kind?: string;
  q?: string;
}

interface ListProps {
  query: ProcessQuery;
  page: number;
  onPage(page: number): void;
  /** Another action is under way. */
  isBusy: boolean;
  onAct(request: { action: Action; reason: string }, processes: readonly Process[]): void;
}

const pageSize = 50;
const largestPage = 100;
const mostSelected = 2 * largestPage;

const actions = ['retry', 'ask_bank', 'restart'] as const;

/** Whether an action fits the kind of a process; the API judges its state. */
const fitting: Readonly<Record<Action, (process: Process) => boolean>> = {
  retry: () => true,
  ask_bank: ({ kind }) => kind === 'invoice',
  restart: ({ kind }) => kind !== 'delivery',
};

/** Lists processes, and acts on the selected ones. The selection holds over the pages of a filter. */
export function ProcessList({ query, page, onPage, isBusy, onAct }: ListProps) {
  const { words, number } = useLanguage();
  const texts = useTexts(processTexts);
  const client = useQueryClient();
  const nameOf = useRecordName();
  const columns = useColumns(query.state);
  const [selected, setSelected] = useState<readonly Process[]>([]);
  const [asked, setAsked] = useState<Action | null>(null);
  const readPage = (page: number, limit: number) => read('/admin/processes', { params: { query: { ...query, page, limit } } });
  const { data, error, refetch } = useQuery({ ...readPage(page, pageSize), placeholderData: keepPreviousData, throwOnError: false });
  const selectAll = useMutation({
    mutationFn: () => Promise.all([1, 2].map((page) => client.fetchQuery(readPage(page, largestPage)))),
    onSuccess: (pages) => setSelected(pages.flatMap((answer) => answer.data)),
  });
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return null;
  const { data: rows, meta } = data;
  const isSame = (one: Process) => (other: Process) => one.workflow_id === other.workflow_id;
  const isChosen = (process: Process) => selected.some(isSame(process));
  const select = (changed: readonly Process[], isSelected: boolean) =>
    setSelected([...selected.filter((process) => !changed.some(isSame(process))), ...(isSelected ? changed : [])]);
  const selection: Column<Process> = {
    title: texts.selectPage,
    header: (
      <Checkbox
        size="xs"
        aria-label={texts.selectPage}
        checked={rows.every(isChosen)}
        indeterminate={rows.some(isChosen) && !rows.every(isChosen)}
        onChange={({ currentTarget }) => select(rows, currentTarget.checked)}
      />
    ),
    cell: (process) => (
      <Checkbox
        size="xs"
        aria-label={nameOf(process.kind, process.id)}
        checked={isChosen(process)}
        onChange={({ currentTarget }) => select([process], currentTarget.checked)}
      />
    ),
  };
  return (
    <>
      {meta.failed_is_unknown && <Empty>{texts.failedUnknown}</Empty>}
      <Group gap="xs" mih={30}>
        {selected.length > 0 && <Text size="sm">{texts.selected(number(selected.length))}</Text>}
        {actions
          .map((action) => [action, selected.filter(fitting[action]).length] as const)
          .filter(([, count]) => count > 0)
          .map(([action, count]) => (
            <Button key={action} variant="default" disabled={isBusy} onClick={() => setAsked(action)}>
              {texts.actOn(texts.actions[action], number(count))}
            </Button>
          ))}
        {meta.total > 1 && (
          <Button variant="subtle" loading={selectAll.isPending} onClick={() => selectAll.mutate()}>
            {texts.selectAll(number(Math.min(meta.total, mostSelected)), meta.total > mostSelected)}
          </Button>
        )}
        {selected.length > 0 && (
          <Button variant="subtle" onClick={() => setSelected([])}>
            {texts.clear}
          </Button>
        )}
      </Group>
      {selectAll.error !== null && <Problem error={selectAll.error} />}
      <DataTable
        label={words.sections.processes}
        rows={rows}
        keyOf={({ workflow_id: ref }) => ref}
        empty={texts.empty}
        columns={[selection, ...columns]}
      />
      <Pager meta={meta} onPage={onPage} />
      {asked !== null && (
        <FormDialog
          title={texts.actOn(texts.actions[asked], number(selected.filter(fitting[asked]).length))}
          submit={texts.actions[asked]}
          send={async ({ reason = '' }) => {
            onAct({ action: asked, reason }, selected.filter(fitting[asked]));
            setSelected([]);
          }}
          onClose={() => setAsked(null)}
        >
          <Text size="sm">{texts.about[asked]}</Text>
          <Textarea
            name="reason"
            size="xs"
            label={words.reason}
            description={texts.reasonHint}
            minLength={5}
            maxLength={3000}
            required
            rows={3}
          />
        </FormDialog>
      )}
    </>
  );
}

function useColumns(state: Process['state'] | undefined): Column<Process>[] {
  const { words, ago, moment } = useLanguage();
  const texts = useTexts(processTexts);
  const sentenceOf = (reason: string) => wordOf(reason, { ...words.problems.codes, ...texts.reasons });
  const isBroken = state === 'stuck' || state === 'failed';
  return [
    { title: texts.columns.record, cell: ({ kind, id }) => <RecordLink kind={kind} id={id} /> },
    ...(state === undefined ? [{ title: texts.columns.state, cell: ({ state: own }: Process) => <Status value={own} /> }] : []),
    { title: texts.columns.waitsFor, cell: ({ waiting_for: party }) => party && wordOf(party, texts.waits) },
    { title: texts.times.since, cell: ({ since }) => since && <span title={moment(since)}>{ago(since)}</span> },
    ...(isBroken ? [] : [{ title: texts.times.next, cell: ({ next_timer_at: at }: Process) => at && moment(at) }]),
    {
      title: texts.columns.why,
      isMain: true,
      cell: ({ reason }) => reason && <span title={sentenceOf(reason)}>{sentenceOf(reason)}</span>,
    },
    {
      title: 'Temporal',
      cell: ({ url, workflow_id: ref }) =>
        url && (
          <Anchor href={url} target="_blank" rel="noreferrer" size="sm">
            {ref} ↗
          </Anchor>
        ),
    },
  ];
}
