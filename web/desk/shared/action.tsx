import { Button, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { FormDialog } from './dialog.tsx';
import { Problem } from './problem.tsx';
import { reread } from './queries.ts';

/** Changes something at once, and reads again what is on the screen; a refusal is shown below. */
export function ActionButton({ run, children }: { run(): Promise<unknown>; children: ReactNode }) {
  const action = useMutation({ mutationFn: run, onSuccess: reread });
  return (
    <Stack gap="xs">
      <Button variant="default" loading={action.isPending} onClick={() => action.mutate()}>
        {children}
      </Button>
      {action.error !== null && <Problem error={action.error} />}
    </Stack>
  );
}

/** Asks with a form of its own title, and reads again what is on the screen when it was sent. */
export function DialogButton(dialog: Omit<ComponentProps<typeof FormDialog>, 'onSent' | 'onClose'>) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setIsOpen(true)}>
        {dialog.title}
      </Button>
      {isOpen && <FormDialog {...dialog} onSent={() => void reread()} onClose={() => setIsOpen(false)} />}
    </>
  );
}
