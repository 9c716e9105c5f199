import { Anchor, Button, Checkbox, Group, Text, Textarea } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { FormDialog } from '../../shared/dialog.tsx';
import { useTexts } from '../../shared/language.tsx';
import { Empty } from '../../shared/page.tsx';
import { Problem } from '../../shared/problem.tsx';
import { read } from '../../shared/queries.ts';
import { RecordLink, useRecordName } from '../../shared/record-link.tsx';
import { Status, wordOf } from '../../shared/status.tsx';
import { type Column, PagedTable } from '../../shared/table.tsx';
import type { Action, Process } from './run.tsx';
import { processTexts } from './texts.ts';

interface ListProps {
  query: { state?: Process['state']; kind?: string; q?: string };
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
  const { words, number, texts } = useTexts(processTexts);
  const client = useQueryClient();
  const nameOf = useRecordName();
  const columns = useColumns(query.state);
  const [selected, setSelected] = useState<readonly Process[]>([]);
  const [asked, setAsked] = useState<Action | null>(null);
  const readPage = (page: number, limit: number) => read('/admin/processes', { params: { query: { ...query, page, limit } } });
  const { data, error, refetch } = useQuery({ ...readPage(page, pageSize), placeholderData: keepPreviousData, throwOnError: false });
  const selectFirst = useMutation({
    mutationFn: () => Promise.all([1, 2].map((page) => client.fetchQuery(readPage(page, largestPage)))),
    onSuccess: (pages) => setSelected(pages.flatMap((answer) => answer.data)),
  });
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return null;
  const { data: rows, meta } = data;
  const isChosen = ({ workflow_id: ref }: Process) => selected.some((each) => each.workflow_id === ref);
  const select = (changed: readonly Process[], isSelected: boolean) => {
    const refs = new Set(changed.map(({ workflow_id: ref }) => ref));
    setSelected([...selected.filter(({ workflow_id: ref }) => !refs.has(ref)), ...(isSelected ? changed : [])]);
  };
  const box = (label: string, changed: readonly Process[]) => (
    <Checkbox
      size="xs"
      aria-label={label}
      checked={changed.every(isChosen)}
      indeterminate={changed.some(isChosen) && !changed.every(isChosen)}
      onChange={({ currentTarget }) => select(changed, currentTarget.checked)}
    />
  );
  const selection: Column<Process> = {
    title: texts.selectPage,
    header: box(texts.selectPage, rows),
    cell: (process) => box(nameOf(process.kind, process.id), [process]),
  };
  const labelOf = (action: Action) => `${texts.actions[action]}: ${number(selected.filter(fitting[action]).length)}`;
  return (
    <>
      {meta.failed_is_unknown && <Empty>{texts.failedUnknown}</Empty>}
      <Group gap="xs">
        {actions.map((action) => (
          <Button key={action} variant="default" disabled={isBusy || !selected.some(fitting[action])} onClick={() => setAsked(action)}>
            {labelOf(action)}
          </Button>
        ))}
        <Button variant="subtle" disabled={meta.total === 0} loading={selectFirst.isPending} onClick={() => selectFirst.mutate()}>
          {texts.selectFirst(number(Math.min(meta.total, mostSelected)))}
        </Button>
        <Button variant="subtle" onClick={() => setSelected([])}>
          {texts.clear}
        </Button>
      </Group>
      {selectFirst.error !== null && <Problem error={selectFirst.error} />}
      <PagedTable
        label={words.sections.processes}
        answer={data}
        onPage={onPage}
        keyOf={({ workflow_id: ref }) => ref}
        empty={texts.empty}
        columns={[selection, ...columns]}
      />
      {asked !== null && (
        <FormDialog
          title={labelOf(asked)}
          submit={texts.actions[asked]}
          send={async ({ reason = '' }) => {
            onAct({ action: asked, reason }, selected.filter(fitting[asked]));
            setSelected([]);
          }}
          onClose={() => setAsked(null)}
        >
          <Text size="sm">{texts.about[asked]}</Text>
          <Textarea name="reason" label={words.reason} description={texts.reasonHint} minLength={5} maxLength={3000} required rows={3} />
        </FormDialog>
      )}
    </>
  );
}

function useColumns(state: Process['state'] | undefined): Column<Process>[] {
  const { words, ago, moment, texts } = useTexts(processTexts);
  const sentenceOf = (reason: string) => wordOf(reason, { ...words.problems.codes, ...texts.reasons });
  return [
    { title: texts.record, cell: ({ kind, id }) => <RecordLink kind={kind} id={id} /> },
    ...(state === undefined ? [{ title: texts.state, cell: ({ state: own }: Process) => <Status value={own} /> }] : []),
    { title: texts.waitsFor, cell: ({ waiting_for: party }) => party && wordOf(party, texts.waits) },
    { title: texts.since, cell: ({ since }) => since && <span title={moment(since)}>{ago(since)}</span> },
    { title: texts.next, cell: ({ next_timer_at: at }) => at && moment(at) },
    { title: words.reason, isMain: true, cell: ({ reason }) => reason && <span title={sentenceOf(reason)}>{sentenceOf(reason)}</span> },
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
