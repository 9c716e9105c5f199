import { Button, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { FormDialog } from './dialog.tsx';
import { Problem } from './problem.tsx';
import { reread } from './queries.ts';
import { useAnnounce } from './shell.tsx';

/** Does something at once; a refusal is shown below. */
export function ActionButton({ run, children }: { run(): Promise<unknown>; children: ReactNode }) {
  const action = useMutation({ mutationFn: run });
  return (
    <Stack gap="xs">
      <Button variant="default" loading={action.isPending} onClick={() => action.mutate()}>
        {children}
      </Button>
      {action.error !== null && <Problem error={action.error} />}
    </Stack>
  );
}

interface DialogButtonProps extends Omit<ComponentProps<typeof FormDialog>, 'onSent' | 'onClose'> {
  /** The word on the button; without it the title. */
  label?: string;
  disabled?: boolean;
  /** What is announced when the form was sent. */
  outcome?: string;
}

/** Asks with a form, and reads again what is on the screen when it was sent. */
export function DialogButton({ label, disabled = false, outcome, ...dialog }: DialogButtonProps) {
  const announce = useAnnounce();
  const [isOpen, setIsOpen] = useState(false);
  const onSent = () => {
    void reread();
    if (outcome !== undefined) announce(outcome);
  };
  return (
    <>
      <Button variant="default" disabled={disabled} onClick={() => setIsOpen(true)}>
        {label ?? dialog.title}
      </Button>
      {isOpen && <FormDialog {...dialog} onSent={onSent} onClose={() => setIsOpen(false)} />}
    </>
  );
}
