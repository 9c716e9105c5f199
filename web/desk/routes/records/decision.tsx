import { Alert, Button, Group, Select, Stack, Table, Text, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { RegistryError } from '../../../../client/src/index.ts';
import { useDraft } from '../../shared/draft.ts';
import { useKeys } from '../../shared/keys.tsx';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { Section } from '../../shared/page.tsx';
import { Problem, sentenceOf } from '../../shared/problem.tsx';
import { useAnnounce } from '../../shared/shell.tsx';
import type { CommonWords } from '../../shared/words.ts';
import { recordTexts } from './texts.ts';

/** A value of the record in words, by its name: what a decision rests on. */
export type RecordFacts = readonly (readonly [name: string, value: string | null | undefined])[];

export interface Choice {
  decision: keyof CommonWords['decisions'];
  /** Without it the decision needs no note. */
  needsNote: boolean;
  /** Why it cannot be chosen now. */
  prevented?: string;
}

export interface DecisionSpec {
  /** None when nothing waits; a refusal of before is still shown. */
  choices: readonly Choice[];
  /** Notes that clerks often write. */
  templates?: readonly string[];
  /** Further fields of the decision. */
  fields?: ReactNode;
  /** Sends the decision on the version that the clerk has read. */
  decide(decision: Choice['decision'], note: string): Promise<unknown>;
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
const keyOf: Partial<Record<Choice['decision'], string>> = {
  approve: 'a',
  confirm: 'a',
  changes: 'c',
  reject: 'c',
  cancel: 'x',
  resolve: 'a',
  answered: 'a',
};
const colorOf: Partial<Record<Choice['decision'], string>> = { approve: 'teal.9', confirm: 'teal.9', cancel: 'red.9' };

/** A decision with its note. Another clerk may decide first: the refusal shows what has changed since this one has read. */
export function Decision({ name, title, choices, templates = [], fields, facts, decide, onDecided }: DecisionProps) {
  const { words } = useLanguage();
  const texts = useTexts(recordTexts);
  const client = useQueryClient();
  const announce = useAnnounce();
  const [note, setNote] = useDraft(`note:${name}`);
  const [chosen, setChosen] = useState<Choice | null>(null);
  const [read, setRead] = useState<RecordFacts | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const isNoteShort = note.trim().length < leastNote;
  const reread = () => client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== '/session' });
  const action = useMutation({
    mutationFn: ({ decision }: Choice) => decide(decision, note.trim()),
    onSuccess: async (_answer, { decision }) => {
      // The next record may be another part of this one.
      await reread();
      announce(`${words.decisions[decision]}: ${title}`);
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
    if (action.isPending || choice.prevented !== undefined) return;
    setChosen(choice);
    if (choice.needsNote && isNoteShort) field.current?.focus();
    else action.mutate(choice);
  };
  useKeys(
    choices.flatMap((choice) => {
      const key = keyOf[choice.decision];
      return key === undefined ? [] : [{ key, text: words.decisions[choice.decision], run: () => choose(choice) }];
    }),
  );
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
        <Textarea
          ref={field}
          label={texts.note}
          description={texts.noteHint}
          value={note}
          maxLength={mostNote}
          autosize
          minRows={2}
          maxRows={8}
          error={chosen?.needsNote === true && isNoteShort ? texts.noteNeeded(words.decisions[chosen.decision]) : undefined}
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
              if (text === null) return;
              setNote(text);
              field.current?.focus();
            }}
          />
        )}
        <Group gap="xs">
          {choices.map((choice) => {
            const color = colorOf[choice.decision];
            return (
              <Button
                key={choice.decision}
                {...(color === undefined ? { variant: 'default' } : { color })}
                disabled={choice.prevented !== undefined}
                loading={action.isPending && chosen?.decision === choice.decision}
                onClick={() => choose(choice)}
              >
                {words.decisions[choice.decision]} ({keyOf[choice.decision]})
              </Button>
            );
          })}
        </Group>
        {choices.map(({ decision, prevented }) =>
          prevented === undefined ? null : (
            <Text key={decision} size="xs">
              {texts.prevented(words.decisions[decision], prevented)}
            </Text>
          ),
        )}
      </Stack>
    </Section>
  );
}

/** The record was decided or changed by another one. */
function isOutdated(error: unknown): boolean {
  return error instanceof RegistryError && (error.code === 'stale_revision' || error.code === 'invalid_state');
}

function Changed({ before, after }: { before: RecordFacts; after: RecordFacts }) {
  const texts = useTexts(recordTexts);
  const now = new Map(after);
  const then = new Map(before);
  const changed = [...new Set([...then.keys(), ...now.keys()])].filter((name) => (then.get(name) ?? '') !== (now.get(name) ?? ''));
  return (
    <Alert color="orange" title={texts.changed}>
      {changed.length === 0 ? (
        <Text size="sm">{texts.changedNothing}</Text>
      ) : (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.changedName}</Table.Th>
              <Table.Th>{texts.before}</Table.Th>
              <Table.Th>{texts.after}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {changed.map((name) => (
              <Table.Tr key={name}>
                <Table.Th scope="row">{name}</Table.Th>
                <Table.Td>{then.get(name) ?? '–'}</Table.Td>
                <Table.Td>{now.get(name) ?? '–'}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Alert>
  );
}
