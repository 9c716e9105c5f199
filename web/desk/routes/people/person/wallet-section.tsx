import { NativeSelect, Text, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { components } from '../../../../../client/src/index.ts';
import { confirmationOf } from '../../../shared/dialog.tsx';
import { useTexts } from '../../../shared/language.tsx';
import { Section } from '../../../shared/page.tsx';
import { read } from '../../../shared/queries.ts';
import { RecordLink } from '../../../shared/record-link.tsx';
import { fromBrowser, registry } from '../../../shared/registry.ts';
import { wordOf } from '../../../shared/status.tsx';
import { PagedTable } from '../../../shared/table.tsx';
import { peopleTexts } from '../texts.ts';
import { PersonAction } from './person-action.tsx';

type Transaction = components['schemas']['LedgerTransaction'];

/** The wallet: its balance, its ledger, a correction, and the reversal of a transaction. */
export function WalletSection({ userId, balanceMinor }: { userId: number; balanceMinor: number }) {
  const { words, money, moment, texts } = useTexts(peopleTexts);
  const [page, setPage] = useState(1);
  const init = { params: { query: { user_id: userId, page } } };
  const { data } = useQuery({ ...read('/admin/ledger', init), placeholderData: keepPreviousData });
  const title = texts.balance(money(balanceMinor));
  return (
    <Section title={title} actions={<Correction userId={userId} />}>
      <PagedTable
        label={title}
        answer={data}
        keyOf={({ id }) => id}
        empty={texts.nothing}
        columns={[
          { title: texts.number, align: 'right', cell: ({ id }) => id },
          { title: words.at, cell: ({ at }) => moment(at) },
          { title: texts.operation, cell: ({ type }) => wordOf(type, texts.operations) },
          { title: texts.amount, align: 'right', cell: ({ amount_minor: amount }) => money(amount) },
          { title: texts.record, cell: recordOf },
          { title: words.reason, isMain: true, cell: ({ reason }) => <span title={reason ?? ''}>{reason}</span> },
          { title: words.actor, cell: ({ actor_id: actorId }) => actorId && <RecordLink kind="user" id={actorId} /> },
          {
            title: texts.operations.reversal,
            // The other transaction of a reversed pair, or the offer to reverse (WAL-11).
            cell: (transaction) => transaction.reversal_of ?? transaction.reversed_by ?? <Reversal transaction={transaction} />,
          },
        ]}
        onPage={setPage}
      />
    </Section>
  );
}

/** The record that moved the money; a correction has none. */
function recordOf({ application_id: applicationId, invoice_id: invoiceId }: Transaction) {
  if (applicationId !== null) return <RecordLink kind="application" id={applicationId} />;
  return invoiceId && <RecordLink kind="invoice" id={invoiceId} />;
}

/** Credits or debits a wallet (WAL-10). */
function Correction({ userId }: { userId: number }) {
  const { texts } = useTexts(peopleTexts);
  return (
    <PersonAction
      title={texts.correct}
      submit={texts.correct}
      send={({ key = '', amount = '', direction, reason = '', incident = '', ...fields }) =>
        registry.POST('/admin/ledger/corrections', {
          params: { header: { ...fromBrowser.header, 'Idempotency-Key': key } },
          body: {
            user_id: userId,
            amount: Number(amount.replaceAll(/\s/g, '').replace(',', '.')).toFixed(2),
            direction: direction === 'debit' ? 'debit' : 'credit',
            reason,
            ...(incident !== '' && { incident_id: Number(incident) }),
            ...confirmationOf(fields),
          },
        })
      }
    >
      <CorrectionFields />
    </PersonAction>
  );
}

function CorrectionFields() {
  const { words, texts } = useTexts(peopleTexts);
  // One key for all tries of the opened dialog: a try whose answer was lost is not booked again.
  const [key] = useState(() => crypto.randomUUID());
  const directions = Object.entries(texts.directions).map(([value, label]) => ({ value, label }));
  return (
    <>
      <input type="hidden" name="key" value={key} />
      <Text size="sm">{texts.notified}</Text>
      <NativeSelect name="direction" label={words.action} data={directions} />
      <TextInput name="amount" label={texts.tenge} title={texts.tenge} inputMode="decimal" pattern="[\d\s]{1,13}([.,]\d{1,2})?" required />
      <TextInput name="incident" label={texts.incident} inputMode="numeric" pattern="\d{1,9}" />
    </>
  );
}

/** Reverses a transaction (WAL-11). */
function Reversal({ transaction: { id, type, amount_minor: amount } }: { transaction: Transaction }) {
  const { words, money, texts } = useTexts(peopleTexts);
  return (
    <PersonAction
      title={`${words.record(texts.reverse, id)}: ${money(amount)}`}
      submit={texts.reverse}
      send={({ reason = '', ...fields }) =>
        registry.POST('/admin/ledger/{entry_id}/reverse', {
          params: { path: { entry_id: id }, ...fromBrowser },
          body: { reason, ...confirmationOf(fields) },
        })
      }
    >
      {type === 'application_payment' && <Text size="sm">{texts.payment}</Text>}
      <Text size="sm">{texts.notified}</Text>
    </PersonAction>
  );
}
