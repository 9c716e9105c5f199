import { Button, Textarea } from '@mantine/core';
import { type ComponentProps, useState } from 'react';
import { ConfirmingFields, FormDialog } from '../../../shared/dialog.tsx';
import { useLanguage, useTexts } from '../../../shared/language.tsx';
import { reread } from '../../../shared/queries.ts';
import { useAnnounce } from '../../../shared/shell.tsx';
import { peopleTexts } from '../texts.ts';

type PersonActionProps = Omit<ComponentProps<typeof FormDialog>, 'onSent' | 'onClose'> & { hasReason?: boolean };

/** A button with its dialog, which asks for the reason (`reason`) and the password; then reads the page again, and says that it is done. */
export function PersonAction({ hasReason = true, children, ...dialog }: PersonActionProps) {
  const { words } = useLanguage();
  const texts = useTexts(peopleTexts);
  const announce = useAnnounce();
  const [isAsked, setIsAsked] = useState(false);
  const onSent = () => {
    void reread();
    announce(texts.done);
  };
  return (
    <>
      <Button variant="default" onClick={() => setIsAsked(true)}>
        {dialog.submit}
      </Button>
      {isAsked && (
        <FormDialog {...dialog} onSent={onSent} onClose={() => setIsAsked(false)}>
          {children}
          {hasReason && <Textarea name="reason" label={words.reason} minLength={5} maxLength={3000} autosize minRows={2} required />}
          <ConfirmingFields />
        </FormDialog>
      )}
    </>
  );
}
