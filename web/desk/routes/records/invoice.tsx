import { Button, Stack } from '@mantine/core';
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { Problem } from '../../shared/problem.tsx';
import { read } from '../../shared/queries.ts';
import { RecordLink } from '../../shared/record-link.tsx';
import { registry } from '../../shared/registry.ts';
import { useAnnounce } from '../../shared/shell.tsx';
import { wordOf } from '../../shared/status.tsx';
import { RecordLayout } from './layout.tsx';
import type { RecordProps } from './record.tsx';
import { settlementTexts } from './settlement-texts.ts';
import { recordTexts } from './texts.ts';

/** An invoice; the bank can be asked about it while it is open. */
export function InvoiceRecord({ id }: RecordProps) {
  const { words, money, moment } = useLanguage();
  const texts = useTexts(recordTexts);
  const own = useTexts(settlementTexts);
  const { data: invoice } = useSuspenseQuery(read('/invoices/{id}', { params: { path: { id } } })).data;
  const isOpen = invoice.status === 'created' || invoice.status === 'pending';
  return (
    <RecordLayout
      kind="invoice"
      id={id}
      title={`${words.kinds.invoice} ${invoice.number}`}
      status={invoice.status}
      flags={invoice.late ? [own.late] : []}
      facts={[
        [texts.status, wordOf(invoice.status, words.statuses)],
        [texts.amount, money(invoice.amount_minor)],
        [own.createdAt, moment(invoice.created_at)],
        [own.expiresAt, moment(invoice.expires_at)],
        [own.paidAt, invoice.paid_at && moment(invoice.paid_at)],
        [own.bankReference, invoice.bank_reference],
      ]}
      actions={isOpen && <AskBank id={id} />}
      related={invoice.owner_id === undefined ? [] : [[words.kinds.user, <RecordLink key="owner" kind="user" id={invoice.owner_id} />]]}
      process={invoice.process}
      timeline="/invoices/{id}/timeline"
    />
  );
}

function AskBank({ id }: { id: number }) {
  const { words } = useLanguage();
  const own = useTexts(settlementTexts);
  const client = useQueryClient();
  const announce = useAnnounce();
  const ask = useMutation({
    mutationFn: () => registry.POST('/invoices/{id}/verify', { params: { path: { id } } }),
    onSuccess: ({ data }) => {
      announce(own.asked(wordOf(data.status, words.statuses)));
      return client.invalidateQueries({ queryKey: ['/invoices/{id}'] });
    },
  });
  return (
    <Stack gap="xs">
      <Button variant="default" loading={ask.isPending} onClick={() => ask.mutate()}>
        {own.askBank}
      </Button>
      {ask.error !== null && <Problem error={ask.error} />}
    </Stack>
  );
}
