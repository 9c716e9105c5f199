import { Group, Radio, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { components } from '../../../../../client/src/index.ts';
import { ConfirmingFields, confirmationOf, FormDialog } from '../../../shared/dialog.tsx';
import { useLanguage, useTexts } from '../../../shared/language.tsx';
import { fromBrowser, registry } from '../../../shared/registry.ts';
import { useAnnounce } from '../../../shared/shell.tsx';
import { ReasonField } from './reason-field.tsx';
import { personTexts } from './texts.ts';

/** Credits or debits a wallet (WAL-10). */
export function CorrectionDialog({ userId, onClose }: { userId: number; onClose(): void }) {
  const { words } = useLanguage();
  const texts = useTexts(personTexts);
  const sent = useMoved();
  // One key for all tries of the dialog: a try whose answer was lost is not booked again.
  const [key] = useState(() => crypto.randomUUID());
  return (
    <FormDialog
      title={texts.correct}
      submit={texts.correct}
      send={({ amount = '', direction, reason = '', incident = '', ...fields }) =>
        registry.POST('/admin/ledger/corrections', {
          params: { header: { ...fromBrowser.header, 'Idempotency-Key': key } },
          body: {
            user_id: userId,
            amount: toAmount(amount),
            direction: direction === 'debit' ? 'debit' : 'credit',
            reason,
            ...(incident !== '' && { incident_id: Number(incident) }),
            ...confirmationOf(fields),
          },
        })
      }
      onSent={sent}
      onClose={onClose}
    >
      <Radio.Group name="direction" label={words.action} defaultValue="credit" size="xs">
        <Group>
          <Radio value="credit" label={texts.directions.credit} size="xs" />
          <Radio value="debit" label={texts.directions.debit} size="xs" />
        </Group>
      </Radio.Group>
      <TextInput name="amount" label={texts.tenge} title={texts.tenge} inputMode="decimal" pattern="[\d\s]{1,13}([.,]\d{1,2})?" required />
      <ReasonField />
      <TextInput name="incident" label={texts.incident} inputMode="numeric" pattern="\d{1,9}" />
      <Text size="sm">{texts.notified}</Text>
      <ConfirmingFields />
    </FormDialog>
  );
}

/** Reverses a transaction (WAL-11). */
export function ReversalDialog({ transaction, onClose }: { transaction: components['schemas']['LedgerTransaction']; onClose(): void }) {
  const texts = useTexts(personTexts);
  const { money } = useLanguage();
  const sent = useMoved();
  const { id, type, amount_minor: amount } = transaction;
  return (
    <FormDialog
      title={texts.reverseOf(id, money(amount))}
      submit={texts.reverse}
      send={({ reason = '', ...fields }) =>
        registry.POST('/admin/ledger/{entry_id}/reverse', {
          params: { path: { entry_id: id }, ...fromBrowser },
          body: { reason, ...confirmationOf(fields) },
        })
      }
      onSent={sent}
      onClose={onClose}
    >
      {type === 'application_payment' && <Text size="sm">{texts.payment}</Text>}
      <ReasonField />
      <Text size="sm">{texts.notified}</Text>
      <ConfirmingFields />
    </FormDialog>
  );
}

/** Says that money moved, and reads again what shows it. */
function useMoved(): () => void {
  const texts = useTexts(personTexts);
  const queryClient = useQueryClient();
  const announce = useAnnounce();
  return () => {
    for (const path of ['/admin/ledger', '/admin/users/{id}', '/admin/overview', '/admin/records/application/{id}', '/invoices/{id}'])
      void queryClient.invalidateQueries({ queryKey: [path] });
    announce(texts.done);
  };
}

/** A sum as people type it, as the API wants it: `8 650,5` is `8650.50`. */
function toAmount(typed: string): string {
  const [tenge = '', tiyn = ''] = typed.replaceAll(/\s/g, '').split(/[.,]/);
  return `${tenge.replace(/^0+(?=\d)/, '')}.${tiyn.padEnd(2, '0')}`;
}
