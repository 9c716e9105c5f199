import { Button, Group, Progress, ScrollArea, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { startTransition, useEffect, useRef, useState } from 'react';
import { type components, RegistryError } from '../../../../client/src/index.ts';
import { useTexts } from '../../shared/language.tsx';
import { Section } from '../../shared/page.tsx';
import { sentenceOf } from '../../shared/problem.tsx';
import { RecordLink } from '../../shared/record-link.tsx';
import { registry } from '../../shared/registry.ts';
import { Status, wordOf } from '../../shared/status.tsx';
import { DataTable } from '../../shared/table.tsx';
import { processTexts } from './texts.ts';

export type Process = components['schemas']['ListedProcess'];
type Request = Pick<components['schemas']['ProcessAction'], 'action' | 'reason'>;
export type Action = Request['action'];

/** What came of the request for one process. */
type Outcome = { is: 'queued' } | { is: 'done'; state: string } | { is: 'refused'; error: unknown };

/** An action of an administrator on some processes; its outcomes by `workflow_id`. */
interface Run {
  request: Request;
  processes: readonly Process[];
  outcomes: Readonly<Record<string, Outcome>>;
}

const mostAtOnce = 4;

/** Requests an action for one process after the other, a few at once, until the page is left. */
export function useRun(onOver: () => void) {
  const [run, setRun] = useState<Run | null>(null);
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => void (isOpen.current = false);
  }, []);
  const note = (outcomes: Run['outcomes']) => setRun((now) => now && { ...now, outcomes: { ...now.outcomes, ...outcomes } });
  const send = ({ kind, id }: Process, body: Request): Promise<Outcome> =>
    registry.POST('/admin/processes/{kind}/{id}/actions', { params: { path: { kind, id } }, body }).then(
      ({ data }) => ({ is: 'done', state: data.state }),
      (error: unknown) => ({ is: 'refused', error }),
    );
  const sendAll = async (processes: readonly Process[], body: Request) => {
    note(Object.fromEntries(processes.map(({ workflow_id: ref }) => [ref, { is: 'queued' }])));
    const queued = [...processes];
    const sendNext = async () => {
      for (let next = queued.shift(); next !== undefined && isOpen.current; next = queued.shift()) {
        const outcome = { [next.workflow_id]: await send(next, body) };
        // Outcomes that arrive while the page is drawn are drawn together.
        startTransition(() => note(outcome));
      }
    };
    await Promise.all(Array.from({ length: mostAtOnce }, sendNext));
    onOver();
  };
  return {
    run,
    /** Whether a process still waits for its outcome. */
    isBusy: Object.values(run?.outcomes ?? {}).some(({ is }) => is === 'queued'),
    start: (request: Request, processes: readonly Process[]) => {
      setRun({ request, processes, outcomes: {} });
      void sendAll(processes, request);
    },
    again: (process: Process) => run && void sendAll([process], run.request),
    forget: () => setRun(null),
  };
}

/** Shows how far an action has come and the outcome of each process; asks before the page is left meanwhile. */
export function RunReport({ run, isBusy, again, forget }: ReturnType<typeof useRun>) {
  const { words, number, texts } = useTexts(processTexts);
  useBlocker({
    // The browser asks in the same way when the tab is closed.
    shouldBlockFn: ({ current, next }) => isBusy && current.pathname !== next.pathname && !confirm(texts.leaving),
    enableBeforeUnload: isBusy,
  });
  if (run === null) return null;
  const { processes, outcomes } = run;
  const title = texts.actions[run.request.action];
  const ended = Object.values(outcomes).filter(({ is }) => is === 'done' || is === 'refused').length;
  const progress = texts.progress(number(ended), number(processes.length));
  return (
    <Section
      title={title}
      actions={
        <Button variant="default" disabled={isBusy} onClick={forget}>
          {words.close}
        </Button>
      }
    >
      <Text size="sm" role="status" mb={4}>
        {progress}
      </Text>
      <Progress value={(ended / processes.length) * 100} aria-label={progress} mb="xs" />
      <ScrollArea.Autosize mah={260}>
        <DataTable
          label={title}
          rows={processes}
          keyOf={({ workflow_id: ref }) => ref}
          empty={null}
          columns={[
            { title: texts.record, cell: ({ kind, id }) => <RecordLink kind={kind} id={id} /> },
            { title: texts.outcome, isMain: true, cell: ({ workflow_id: ref }) => <OutcomeText outcome={outcomes[ref]} /> },
            {
              title: words.problems.again,
              cell: (process) =>
                outcomes[process.workflow_id]?.is === 'refused' && (
                  <Button size="compact-xs" variant="default" disabled={isBusy} onClick={() => again(process)}>
                    {words.problems.again}
                  </Button>
                ),
            },
          ]}
        />
      </ScrollArea.Autosize>
    </Section>
  );
}

function OutcomeText({ outcome = { is: 'queued' } }: { outcome: Outcome | undefined }) {
  const { words, texts } = useTexts(processTexts);
  if (outcome.is === 'done')
    return (
      <Group gap="xs" wrap="nowrap">
        {texts.done}
        <Status value={outcome.state} />
      </Group>
    );
  if (outcome.is === 'queued') return texts.queued;
  const { error } = outcome;
  const { status, allowed } = error instanceof RegistryError ? error.details : {};
  const fitting = Array.isArray(allowed) ? allowed.map((action) => wordOf(String(action), texts.actions)).join(', ') : null;
  return (
    <Text span size="sm" c="red" style={{ whiteSpace: 'normal' }}>
      {typeof status === 'string' && fitting !== null
        ? texts.notFitting(wordOf(status, words.statuses), fitting || words.none)
        : sentenceOf(error, words.problems)}
    </Text>
  );
}
