import { Button, Group, Progress, ScrollArea, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { RegistryError } from '../../../../client/src/index.ts';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { Section } from '../../shared/page.tsx';
import { sentenceOf } from '../../shared/problem.tsx';
import { RecordLink } from '../../shared/record-link.tsx';
import { Status, wordOf } from '../../shared/status.tsx';
import { DataTable } from '../../shared/table.tsx';
import { isRunning, type Outcome, type Process, type Run } from './run.ts';
import { processTexts } from './texts.ts';

/** Shows how far an action has come and the outcome of each process; asks before the page is left meanwhile. */
export function RunReport({ run, onAgain, onClose }: { run: Run; onAgain(process: Process): void; onClose(): void }) {
  const { words, number } = useLanguage();
  const texts = useTexts(processTexts);
  const isUnderWay = isRunning(run);
  useBlocker({
    // The browser asks in the same way when the tab is closed.
    shouldBlockFn: ({ current, next }) => isUnderWay && current.pathname !== next.pathname && !confirm(texts.leaving),
    enableBeforeUnload: isUnderWay,
  });
  const outcomeOf = ({ workflow_id: ref }: Process): Outcome => run.outcomes[ref] ?? { is: 'queued' };
  const ended = run.processes.filter((process) => ['done', 'refused'].includes(outcomeOf(process).is)).length;
  const progress = texts.progress(number(ended), number(run.processes.length));
  return (
    <Section
      title={texts.actions[run.action]}
      actions={
        <Button variant="default" disabled={isUnderWay} onClick={onClose}>
          {words.close}
        </Button>
      }
    >
      <Text size="sm" role="status" mb={4}>
        {progress}
      </Text>
      <Progress value={(ended / run.processes.length) * 100} aria-label={progress} mb="xs" />
      <ScrollArea.Autosize mah={260}>
        <DataTable
          label={texts.actions[run.action]}
          rows={run.processes}
          keyOf={({ workflow_id: ref }) => ref}
          empty={null}
          columns={[
            { title: texts.columns.record, cell: ({ kind, id }) => <RecordLink kind={kind} id={id} /> },
            { title: texts.columns.outcome, isMain: true, cell: (process) => <OutcomeText outcome={outcomeOf(process)} /> },
            {
              title: words.problems.again,
              cell: (process) =>
                outcomeOf(process).is === 'refused' && (
                  <Button size="compact-xs" variant="default" onClick={() => onAgain(process)}>
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

function OutcomeText({ outcome }: { outcome: Outcome }) {
  const { words } = useLanguage();
  const texts = useTexts(processTexts);
  if (outcome.is === 'done')
    return (
      <Group gap="xs" wrap="nowrap">
        {texts.outcomes.done}
        <Status value={outcome.state} />
      </Group>
    );
  if (outcome.is !== 'refused') return texts.outcomes[outcome.is];
  const { error } = outcome;
  const { status, allowed } = error instanceof RegistryError ? error.details : {};
  const actions = Array.isArray(allowed) ? allowed.map((action) => wordOf(String(action), texts.actions)).join(', ') : null;
  return (
    <Text span size="sm" c="red" style={{ whiteSpace: 'normal' }}>
      {typeof status === 'string' && actions !== null
        ? texts.notFitting(wordOf(status, words.statuses), actions || words.none)
        : sentenceOf(error, words.problems)}
    </Text>
  );
}
