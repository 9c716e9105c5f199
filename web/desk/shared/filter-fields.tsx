import { Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { useLanguage } from './language.tsx';

/** How long typing must rest before the list is read. */
const restMs = 300;

interface FilterTextProps {
  label: string;
  placeholder?: string;
  value: string | undefined;
  onChange(value: string): void;
}

/** A text that filters a list when typing rests. */
export function FilterText({ label, placeholder, value = '', onChange }: FilterTextProps) {
  const [typed, setTyped] = useState(value);
  const [sent, setSent] = useState(value);
  const [former, setFormer] = useState(value);
  // The address changed by a link or by "back", not by this field.
  if (value !== former) {
    setFormer(value);
    if (value !== sent) setTyped(value);
  }
  const send = useDebouncedCallback((text: string) => {
    setSent(text);
    onChange(text);
  }, restMs);
  return (
    <TextInput
      type="search"
      label={label}
      {...(placeholder !== undefined && { placeholder })}
      maxLength={200}
      w={{ base: '100%', xs: 280 }}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        send(currentTarget.value.trim());
      }}
    />
  );
}

interface FilterChoiceProps {
  label: string;
  /** Values with their words, in order. */
  choices: readonly (readonly [value: string, word: string])[];
  value: string | undefined;
  /** @param value null for all */
  onChange(value: string | null): void;
}

/** One of the known values, or all; an address may have another one. */
export function FilterChoice({ label, choices, value, onChange }: FilterChoiceProps) {
  const { words } = useLanguage();
  return (
    <Select
      label={label}
      data={[{ value: '', label: words.all }, ...choices.map(([value, label]) => ({ value, label }))]}
      value={choices.find(([each]) => each === value)?.[0] ?? ''}
      allowDeselect={false}
      onChange={(chosen) => onChange(chosen === '' ? null : chosen)}
    />
  );
}

/** A day that filters a list, once it is typed to its end. */
export function FilterDay({ label, value = '', onChange }: Omit<FilterTextProps, 'placeholder'>) {
  return (
    <TextInput key={value} type="date" label={label} defaultValue={value} onBlur={({ currentTarget }) => onChange(currentTarget.value)} />
  );
}
