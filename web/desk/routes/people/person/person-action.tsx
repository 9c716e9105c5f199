import { Textarea } from '@mantine/core';
import type { ComponentProps } from 'react';
import { DialogButton } from '../../../shared/action.tsx';
import { ConfirmingFields } from '../../../shared/dialog.tsx';
import { useTexts } from '../../../shared/language.tsx';
import { peopleTexts } from '../texts.ts';

type PersonActionProps = Omit<ComponentProps<typeof DialogButton>, 'label' | 'outcome'> & { hasReason?: boolean };

/** A change of an account, which asks for the reason (`reason`) and the password. */
export function PersonAction({ hasReason = true, children, ...dialog }: PersonActionProps) {
  const { words, texts } = useTexts(peopleTexts);
  return (
    <DialogButton {...dialog} label={dialog.submit} outcome={texts.done}>
      {children}
      {hasReason && <Textarea name="reason" label={words.reason} minLength={5} maxLength={3000} autosize minRows={2} required />}
      <ConfirmingFields />
    </DialogButton>
  );
}
