import { Alert, Button, Group, Select, Stack, Table, Text, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { type components, RegistryError } from '../../../../client/src/index.ts';
import { useDraft } from '../../shared/draft.ts';
import { useKeys } from '../../shared/keys.tsx';
import { Section } from '../../shared/page.tsx';
import { Problem, sentenceOf } from '../../shared/problem.tsx';
import { reread } from '../../shared/queries.ts';
import { registry } from '../../shared/registry.ts';
import { useAnnounce } from '../../shared/shell.tsx';
import type { CommonWords } from '../../shared/words.ts';
import { useRecordTexts } from './texts.ts';

type Review = components['schemas']['Review'];
type Choice = keyof CommonWords['decisions'];

/** A value of the record in words, by its name: what a decision rests on. */
export type RecordFacts = readonly (readonly [name: string, value: string | null | undefined])[];

export interface DecisionSpec {
  /** None when nothing waits; a refusal of before is still shown. */
  choices: readonly Choice[];
  /** Why the first choice is not possible now. */
  prevented?: string | undefined;
  /** Notes that clerks often write. */
  templates?: readonly string[];
  /** Further fields of the decision. */
  fields?: ReactNode;
  /** Sends the decision on the version that the clerk has read. */
  decide(choice: Choice, note: string): Promise<unknown>;
}

interface ReviewSubject {
  kind: Review['kind'];
  id: number;
  updated_at?: string | undefined;
  revision?: number;
  stage?: string | undefined;
}

/** The review of a record that waits for it (REV-1). @param approval further fields of an approval */
export function reviewOf(subject: ReviewSubject, isWaiting: boolean, templates: readonly string[], approval = {}): DecisionSpec {
  return {
    choices: isWaiting ? ['approve', 'changes', 'cancel'] : [],
    templates,
    decide: (decision, note) => {
      const body = { ...subject, decision, note: note === '' ? null : note, ...(decision === 'approve' && approval) };
      return registry.POST('/admin/review', { body: body as Review });
    },
  };
}

interface DecisionProps extends DecisionSpec {
  /** Of the record: its draft outlives the session. */
  name: string;
  title: string;
  facts: RecordFacts;
  onDecided?: (() => void) | undefined;
}

const leastNote = 5;
const mostNote = 3000;
const rules: Record<Choice, { key: string; note?: 'needed' | 'none'; color?: string }> = {
  approve: { key: 'a', color: 'teal.9' },
  confirm: { key: 'a', color: 'teal.9' },
  changes: { key: 'c', note: 'needed' },
  reject: { key: 'c', note: 'needed' },
  cancel: { key: 'x', note: 'needed', color: 'red.9' },
  resolve: { key: 'a', note: 'needed' },
  answered: { key: 'a' },
  seen: { key: 'a', note: 'none' },
};

/** A decision with its note. Another clerk may decide first: the refusal shows what has changed since this one has read. */
export function Decision({ name, title, choices, prevented, templates = [], fields, facts, decide, onDecided }: DecisionProps) {
  const { words, texts } = useRecordTexts();
  const announce = useAnnounce();
  const [note, setNote] = useDraft(`note:${name}`);
  const [chosen, setChosen] = useState<Choice | null>(null);
  const [read, setRead] = useState<RecordFacts | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const lacksNote = (choice: Choice) => rules[choice].note === 'needed' && note.trim().length < leastNote;
  const isPrevented = (choice: Choice) => prevented !== undefined && choice === choices[0];
  const action = useMutation({
    mutationFn: (choice: Choice) => decide(choice, note.trim()),
    onSuccess: async (_answer, choice) => {
      // The next record may be another part of this one.
      await reread();
      announce(`${words.decisions[choice]}: ${title}`);
      setNote('');
      setRead(null);
      onDecided?.();
    },
    onError: (error) => {
      // The clerk may have gone on before the answer came.
      announce(`${title}: ${sentenceOf(error, words.problems)}`);
      setRead(isOutdated(error) ? facts : null);
      return reread();
    },
  });
  const choose = (choice: Choice) => {
    if (action.isPending || isPrevented(choice)) return;
    setChosen(choice);
    if (lacksNote(choice)) field.current?.focus();
    else action.mutate(choice);
  };
  useKeys(choices.map((choice) => ({ key: rules[choice].key, text: words.decisions[choice], run: () => choose(choice) })));
  const refusal = action.error !== null && (
    <>
      {read !== null && <Changed before={read} after={facts} />}
      <Problem error={action.error} />
    </>
  );
  if (choices.length === 0) return refusal;
  return (
    <Section title={texts.decision}>
      <Stack gap="xs">
        {refusal}
        {fields}
        {choices.some((choice) => rules[choice].note !== 'none') && (
          <>
            <Textarea
              ref={field}
              label={texts.note}
              description={texts.noteHint}
              value={note}
              maxLength={mostNote}
              autosize
              minRows={2}
              maxRows={8}
              error={chosen !== null && lacksNote(chosen) && `${words.decisions[chosen]}: ${texts.noteNeeded}`}
              onChange={({ currentTarget }) => setNote(currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key === 'Escape') event.currentTarget.blur();
                if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && chosen !== null) choose(chosen);
              }}
            />
            {templates.length > 0 && (
              <Select
                aria-label={texts.template}
                placeholder={texts.template}
                data={templates}
                value={null}
                onChange={(text) => {
                  setNote(text ?? '');
                  field.current?.focus();
                }}
              />
            )}
          </>
        )}
        <Group gap="xs">
          {choices.map((choice) => (
            <Button
              key={choice}
              color={rules[choice].color ?? 'gray'}
              variant={rules[choice].color === undefined ? 'default' : 'filled'}
              disabled={isPrevented(choice)}
              loading={action.isPending && chosen === choice}
              onClick={() => choose(choice)}
            >
              {words.decisions[choice]} ({rules[choice].key})
            </Button>
          ))}
        </Group>
        {prevented !== undefined && <Text size="xs">{prevented}</Text>}
      </Stack>
    </Section>
  );
}

/** The record was decided or changed by another one. */
function isOutdated(error: unknown): boolean {
  return error instanceof RegistryError && (error.code === 'stale_revision' || error.code === 'invalid_state');
}

function Changed({ before, after }: { before: RecordFacts; after: RecordFacts }) {
  const { texts } = useRecordTexts();
  const now = new Map(after);
  const then = new Map(before);
  const changed = [...new Set([...then.keys(), ...now.keys()])].filter((name) => (then.get(name) ?? '') !== (now.get(name) ?? ''));
  return (
    <Alert color="orange" title={texts.changed}>
      {changed.length === 0 && texts.changedNothing}
      {changed.length > 0 && (
        <Table
          data={{
            head: [texts.facts, texts.before, texts.after],
            body: changed.map((name) => [name, then.get(name) ?? '–', now.get(name) ?? '–']),
          }}
        />
      )}
    </Alert>
  );
}
