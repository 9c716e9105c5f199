import { Textarea } from '@mantine/core';
import { useLanguage } from '../../../shared/language.tsx';

/** The reason of an action (`reason`), 5 to 3000 characters as the API wants it. */
export function ReasonField() {
  const { words } = useLanguage();
  return <Textarea name="reason" size="xs" label={words.reason} minLength={5} maxLength={3000} autosize minRows={2} required />;
}
