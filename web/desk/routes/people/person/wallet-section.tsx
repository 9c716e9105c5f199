import { Button, Loader } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { components } from '../../../../../client/src/index.ts';
import { useLanguage, useTexts } from '../../../shared/language.tsx';
import { Section } from '../../../shared/page.tsx';
import { read } from '../../../shared/queries.ts';
import { RecordLink } from '../../../shared/record-link.tsx';
import { wordOf } from '../../../shared/status.tsx';
import { DataTable, Pager } from '../../../shared/table.tsx';
import { CorrectionDialog, ReversalDialog } from './money-dialogs.tsx';
import { personTexts } from './texts.ts';

type Transaction = components['schemas']['LedgerTransaction'];

/** The wallet: its balance, its ledger, a correction, and the reversal of a transaction. */
export function WalletSection({ userId, balanceMinor }: { userId: number; balanceMinor: number }) {
  const { words, money, moment } = useLanguage();
  const texts = useTexts(personTexts);
  const [page, setPage] = useState(1);
  const [asked, setAsked] = useState<Transaction | 'correction' | null>(null);
  const query = { user_id: userId, page };
  const { data } = useQuery({ ...read('/admin/ledger', { params: { query } }), placeholderData: keepPreviousData });
  const close = () => setAsked(null);
  return (
    <Section
      title={texts.balance(money(balanceMinor))}
      actions={
        <Button variant="default" onClick={() => setAsked('correction')}>
          {texts.correct}
        </Button>
      }
    >
      {data === undefined ? (
        <Loader size="sm" />
      ) : (
        <>
          <DataTable
            label={texts.balance(money(balanceMinor))}
            rows={data.data}
            keyOf={({ id }) => id}
            empty={texts.noOperations}
            columns={[
              { title: texts.number, align: 'right', cell: ({ id }) => id },
              { title: words.at, cell: ({ at }) => moment(at) },
              { title: texts.operation, cell: ({ type }) => wordOf(type, texts.operations) },
              { title: texts.amount, align: 'right', cell: ({ amount_minor: amount }) => money(amount) },
              { title: texts.subject, cell: subjectOf },
              { title: words.reason, isMain: true, cell: ({ reason }) => <span title={reason ?? ''}>{reason}</span> },
              { title: words.actor, cell: ({ actor_id: actorId }) => actorId && <RecordLink kind="user" id={actorId} /> },
              {
                title: texts.operations.reversal,
                cell: (transaction) => <Reversal transaction={transaction} onAsk={() => setAsked(transaction)} />,
              },
            ]}
          />
          {data.data.length > 0 && <Pager meta={data.meta} onPage={setPage} />}
        </>
      )}
      {asked === 'correction' && <CorrectionDialog userId={userId} onClose={close} />}
      {asked !== null && asked !== 'correction' && <ReversalDialog transaction={asked} onClose={close} />}
    </Section>
  );
}

/** The other transaction of a reversed pair, or the offer to reverse (WAL-11). */
function Reversal({ transaction: { reversal_of: of, reversed_by: by }, onAsk }: { transaction: Transaction; onAsk(): void }) {
  const texts = useTexts(personTexts);
  const other = of ?? by;
  if (other !== null) return `№ ${other}`;
  return (
    <Button size="compact-xs" variant="default" onClick={onAsk}>
      {texts.reverse}
    </Button>
  );
}

/** The record that moved the money; a correction has none. */
function subjectOf({ application_id: applicationId, invoice_id: invoiceId }: Transaction) {
  if (applicationId !== null) return <RecordLink kind="application" id={applicationId} />;
  return invoiceId && <RecordLink kind="invoice" id={invoiceId} />;
}
