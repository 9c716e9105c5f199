import { Group, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import type { components } from '../../../../client/src/index.ts';
import { DialogButton } from '../../shared/action.tsx';
import { useTexts } from '../../shared/language.tsx';
import { slowRegistry } from '../../shared/registry.ts';
import { RecordProblems } from './records.tsx';
import { nationalTexts } from './texts.ts';

const decisions = ['approve', 'changes', 'cancel'] as const;
type Decision = (typeof decisions)[number];

/** Decides each record of the list "review", and says what became of each. */
export function BulkReview({ ids }: { ids: readonly number[] }) {
  const { words, number, texts } = useTexts(nationalTexts);
  const [outcome, setOutcome] = useState<components['schemas']['BulkReviewOutcome'] | null>(null);
  const labelOf = (decision: Decision) => `${words.decisions[decision]} (${number(ids.length)})`;
  const send = async (decision: Decision, note: string) => {
    const body = decision === 'approve' ? { ids: [...ids], decision, note: note || null } : { ids: [...ids], decision, note };
    const { data } = await slowRegistry.POST('/admin/national/lists/review/review', { body });
    setOutcome(data);
  };
  return (
    <>
      <Group gap="xs">
        {decisions.map((decision) => (
          <DialogButton
            key={decision}
            label={labelOf(decision)}
            disabled={ids.length === 0}
            title={words.decisions[decision]}
            submit={labelOf(decision)}
            send={({ note = '' }) => send(decision, note)}
          >
            <Text size="sm">{texts.decideAbout}</Text>
            <Textarea name="note" label={texts.note} required={decision !== 'approve'} rows={4} minLength={5} maxLength={3000} />
          </DialogButton>
        ))}
      </Group>
      {outcome !== null && (
        <div role="status">
          <Text size="sm">{texts.decided(number(outcome.succeeded.length))}</Text>
          <RecordProblems title={texts.notDecided} records={outcome.failed.map(({ id, code }) => ({ id, problems: [code] }))} />
        </div>
      )}
    </>
  );
}
