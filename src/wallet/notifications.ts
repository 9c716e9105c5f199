import { after, defineNotifications, moneyOf, reasonOf, words } from '../notifications/index.ts';
import type { NotificationFacts } from '../notifications/index.ts';

/** What a person is told about an invoice (decisions.md §8). */
export const invoiceNotifications = defineNotifications({
  'invoice.paid': (facts, id) =>
    words(
      'Wallet topped up',
      `The bank has confirmed invoice ${invoiceOf(facts, id)}${after('; your wallet was credited with ', moneyOf(facts))}.`,
    ),
  'invoice.paid_late': (facts, id) =>
    words(
      'Late payment received',
      `The bank has confirmed invoice ${invoiceOf(facts, id)} after its time had run out${after('; your wallet was credited with ', moneyOf(facts))}.`,
    ),
  'invoice.failed': (facts, id) =>
    words(
      'Payment failed',
      `The bank has not accepted the payment of invoice ${invoiceOf(facts, id)}. No money was credited.`,
      reasonOf(facts),
    ),
  'invoice.expired': (facts, id) =>
    words('Invoice expired', `Invoice ${invoiceOf(facts, id)} was not paid in time. Create a new one to top up your wallet.`),
  'invoice.mismatch': (facts, id) =>
    words(
      'Payment is being checked',
      `What the bank reports about invoice ${invoiceOf(facts, id)} does not match it. Nothing was credited; the federation will look into it.`,
    ),
});

/** What a person is told of an administrator's hand in the wallet; `direction` says whether money came in (`credit`) or went out (`debit`). */
export const ledgerNotifications = defineNotifications({
  'ledger.corrected': (facts, id) =>
    words(
      'Wallet corrected',
      `The federation has corrected your wallet${after(': ', changeOf(facts))} (operation ${id}).`,
      reasonOf(facts),
    ),
  'ledger.reversed': (facts, id) =>
    words(
      'Operation reversed',
      `The federation has reversed operation ${id} of your wallet${after(': ', changeOf(facts))}.`,
      reasonOf(facts),
    ),
});

function changeOf(facts: NotificationFacts): string | undefined {
  const money = moneyOf(facts);
  return money && `${money} were ${facts['direction'] === 'debit' ? 'taken out' : 'put in'}`;
}

function invoiceOf(facts: NotificationFacts, id: string): string | number {
  return facts['number'] ?? id;
}
