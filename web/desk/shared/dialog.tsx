import { Button, Group, Modal, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode, SubmitEvent } from 'react';
import { useLanguage } from './language.tsx';
import { Problem } from './problem.tsx';
import { useAdministrator } from './session.tsx';

interface FormDialogProps {
  title: string;
  /** The word on its button. */
  submit: string;
  color?: string;
  /** Wider for forms with long texts. */
  size?: 'lg' | 'xl';
  /** Fields with names; their values are given to `send` as texts. */
  children?: ReactNode;
  send(fields: Record<string, string>): Promise<unknown>;
  onSent?(): void;
  onClose(): void;
}

/** Asks before an action, and shows its refusal beside the fields, which stay as they are. */
export function FormDialog({ title, submit, color, size, children, send, onSent, onClose }: FormDialogProps) {
  const { words } = useLanguage();
  const action = useMutation({
    mutationFn: send,
    onSuccess: () => {
      onSent?.();
      onClose();
    },
  });
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = [...new FormData(event.currentTarget)].map(([name, value]) => [name, typeof value === 'string' ? value : '']);
    action.mutate(Object.fromEntries(fields) as Record<string, string>);
  };
  return (
    <Modal opened onClose={onClose} title={title} {...(size !== undefined && { size })} closeButtonProps={{ 'aria-label': words.close }}>
      <form onSubmit={onSubmit}>
        <Stack gap="sm">
          {children}
          {action.error !== null && <Problem error={action.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {words.cancel}
            </Button>
            <Button type="submit" loading={action.isPending} {...(color !== undefined && { color })}>
              {submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** The password of the administrator, and the code of the second factor when the account has one (`password`, `code`). */
export function ConfirmingFields() {
  const { words } = useLanguage();
  const { second_factor: hasSecondFactor } = useAdministrator();
  return (
    <>
      <PasswordInput name="password" label={words.confirming.password} autoComplete="current-password" required />
      {hasSecondFactor && <TextInput name="code" label={words.confirming.code} inputMode="numeric" autoComplete="one-time-code" required />}
    </>
  );
}

/** The values of `ConfirmingFields`. */
export function confirmationOf({ password = '', code }: Record<string, string>): { password: string; code?: string } {
  return { password, ...(code !== undefined && { code }) };
}
