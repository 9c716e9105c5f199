import { NativeSelect, TextInput } from '@mantine/core';
import { DialogButton } from '../../shared/action.tsx';
import { wordOf } from '../../shared/status.tsx';
import type { RecordFacts } from './decision.tsx';
import { useRecordTexts } from './texts.ts';

/** A field of a record that administrators correct; one whose name ends with `_at` or `_date` is a day. */
export interface Field {
  name: string;
  label: string;
  hint?: string;
  /** Its values with their words. */
  choices?: Readonly<Record<string, string>>;
}

type Stored = Readonly<Record<string, string | null | undefined>>;

const isDay = (name: string) => name.endsWith('_at') || name.endsWith('_date');

/** The fields in words. */
export function factsOf(fields: readonly Field[], stored: object, day: (value: string) => string): RecordFacts {
  return fields.map(({ name, label, choices = {} }) => {
    const value = (stored as Stored)[name];
    return [label, value && (isDay(name) ? day(value) : wordOf(value, choices))];
  });
}

interface CorrectProps {
  fields: readonly Field[];
  stored: object;
  /** @param changed the changed fields; null for one that was emptied */
  send(changed: Record<string, string | null>): Promise<unknown>;
}

/** Corrects what is written down of a record; its reviews stay. */
export function Correct({ fields, stored, send }: CorrectProps) {
  const former = stored as Stored;
  const { words, texts } = useRecordTexts();
  const sendChanged = (sent: Record<string, string>) => {
    const changed = Object.entries(sent).filter(([name, value]) => value !== (former[name] ?? ''));
    return send(Object.fromEntries(changed.map(([name, value]) => [name, value || null])));
  };
  return (
    <DialogButton title={texts.correct} submit={words.save} send={sendChanged}>
      {fields.map(({ name, label, hint, choices }) => {
        const props = { name, label, description: hint, defaultValue: former[name] ?? '' };
        if (choices === undefined) return <TextInput key={name} type={isDay(name) ? 'date' : 'text'} {...props} />;
        return <NativeSelect key={name} data={Object.entries(choices).map(([value, word]) => ({ value, label: word }))} {...props} />;
      })}
    </DialogButton>
  );
}
