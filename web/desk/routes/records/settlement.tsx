import { Anchor, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { ActionButton } from '../../shared/action.tsx';
import { Section } from '../../shared/page.tsx';
import { read, reread } from '../../shared/queries.ts';
import { registry } from '../../shared/registry.ts';
import { useAnnounce } from '../../shared/shell.tsx';
import { wordOf } from '../../shared/status.tsx';
import { RecordLayout } from './layout.tsx';
import type { RecordProps } from './record.tsx';
import { useRecordTexts } from './texts.ts';

/** An invoice; the bank can be asked about it while it is open. */
export function InvoiceRecord({ id }: RecordProps) {
  const { words, texts, money, moment, statusOf } = useRecordTexts();
  const announce = useAnnounce();
  const params = { path: { id } };
  const { data: invoice } = useSuspenseQuery(read('/invoices/{id}', { params })).data;
  const isOpen = invoice.status === 'created' || invoice.status === 'pending';
  const askBank = async () => {
    const { data } = await registry.POST('/invoices/{id}/verify', { params });
    announce(`${texts.askBank}: ${statusOf(data.status)}`);
    await reread();
  };
  return (
    <RecordLayout
      kind="invoice"
      id={id}
      title={`${words.kinds.invoice} ${invoice.number}`}
      status={invoice.status}
      flags={invoice.late ? [texts.flags.late] : []}
      facts={[
        [texts.amount, money(invoice.amount_minor)],
        [words.statuses.created, moment(invoice.created_at)],
        [texts.expiresAt, moment(invoice.expires_at)],
        [words.statuses.paid, invoice.paid_at && moment(invoice.paid_at)],
        [texts.bankReference, invoice.bank_reference],
      ]}
      actions={isOpen && <ActionButton run={askBank}>{texts.askBank}</ActionButton>}
      related={[invoice.owner_id !== undefined && { kind: 'user', id: invoice.owner_id }]}
      process={invoice.process}
      timeline="/invoices/{id}/timeline"
    />
  );
}

/** Something that the registry cannot settle by itself. */
export function IncidentRecord({ id, onDecided }: RecordProps) {
  const { words, texts, money, moment } = useRecordTexts();
  const params = { path: { id } };
  const { data: incident } = useSuspenseQuery(read('/admin/incidents/{id}', { params })).data;
  const { resolved_at: resolvedAt, transaction_id: transaction } = incident;
  const valueOf = (name: string, value: unknown) =>
    name.endsWith('_minor') && typeof value === 'number' ? money(value) : Array.isArray(value) ? value.join(', ') : JSON.stringify(value);
  return (
    <RecordLayout
      kind="incident"
      id={id}
      title={texts.incidents[incident.kind]}
      status={resolvedAt === null ? 'unresolved' : 'over'}
      facts={[
        [words.at, moment(incident.at)],
        ...Object.entries(incident.details).map(([name, value]) => [wordOf(name, texts.details), valueOf(name, value)] as const),
        [words.statuses.over, resolvedAt && moment(resolvedAt)],
        [texts.resolution, incident.resolution],
        [texts.details.transaction_id, transaction?.toString()],
      ]}
      decision={{
        choices: resolvedAt === null ? ['resolve'] : [],
        fields: <Text size="sm">{texts.incidentHint(id)}</Text>,
        decide: (_decision, reason) => registry.POST('/admin/incidents/{id}/resolve', { params, body: { reason } }),
      }}
      onDecided={onDecided}
      related={[incident.subject]}
    />
  );
}

/** A message of the contact form; it is answered by mail. */
export function ContactMessageRecord({ id, onDecided }: RecordProps) {
  const { words, texts, moment } = useRecordTexts();
  const params = { path: { id } };
  const { data: message } = useSuspenseQuery(read('/admin/contact-messages/{id}', { params })).data;
  return (
    <RecordLayout
      kind="contact_message"
      id={id}
      title={message.name}
      status={message.status}
      facts={[
        [words.at, moment(message.created_at)],
        [words.statuses.answered, message.answered_at && moment(message.answered_at)],
        [texts.reviewNote, message.note],
      ]}
      decision={{
        choices: message.status === 'new' ? ['answered'] : [],
        decide: (_decision, note) => registry.POST('/admin/contact-messages/{id}/answered', { params, body: note === '' ? {} : { note } }),
      }}
      onDecided={onDecided}
    >
      <Section title={texts.message} actions={<Anchor href={`mailto:${message.email}`}>{message.email}</Anchor>}>
        <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {message.message}
        </Text>
      </Section>
    </RecordLayout>
  );
}
