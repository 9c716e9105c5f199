import { Badge } from '@mantine/core';
import { useLanguage } from './language.tsx';

const colours: Readonly<Record<string, string>> = {
  approved: 'green',
  published: 'green',
  completed: 'green',
  confirmed: 'green',
  paid: 'green',
  ready: 'green',
  active: 'green',
  pending: 'yellow',
  submitted: 'yellow',
  in_progress: 'yellow',
  running: 'yellow',
  unresolved: 'yellow',
  changes: 'orange',
  returned: 'orange',
  late: 'orange',
  stuck: 'red',
  failed: 'red',
  rejected: 'red',
  mismatch: 'red',
  blocked: 'red',
  expired: 'red',
};

/** A status in a word, with a colour beside it. An unknown one of a later API is shown as it is. */
export function Status({ value }: { value: string }) {
  const { words } = useLanguage();
  return (
    <Badge variant="dot" color={colours[value] ?? 'gray'} tt="none" fw={500} miw="max-content">
      {wordOf(value, words.statuses)}
    </Badge>
  );
}

/** A later release of the API may have further values. */
export function wordOf(value: string, words: Readonly<Record<string, string>>): string {
  return words[value] ?? value;
}
