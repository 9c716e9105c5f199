import { after, defineNotifications, type Facts, reasonOf, words } from '../notifications/index.ts';

/** Notifications about an invoice. */
export const invoiceNotifications = defineNotifications({
  'invoice.paid': {
    en: (facts, id) =>
      words(
        'Wallet topped up',
        `The bank has confirmed invoice ${invoiceOf(facts, id)}${after('; your wallet was credited with ', facts.money())}.`,
      ),
    ru: (facts, id) =>
      words(
        'Кошелёк пополнен',
        `Банк подтвердил оплату счёта № ${invoiceOf(facts, id)}${after('; в Ваш кошелёк зачислено ', facts.money())}.`,
      ),
    kk: (facts, id) =>
      words(
        'Әмиян толықтырылды',
        `Банк № ${invoiceOf(facts, id)} шоттың төленгенін растады${after('; әмияныңызға ', facts.money(), ' түсті')}.`,
      ),
  },
  'invoice.paid_late': {
    en: (facts, id) =>
      words(
        'Late payment received',
        `The bank has confirmed invoice ${invoiceOf(facts, id)} after its expiry${after('; your wallet was credited with ', facts.money())}.`,
      ),
    ru: (facts, id) =>
      words(
        'Получена поздняя оплата',
        `Банк подтвердил оплату счёта № ${invoiceOf(facts, id)} после истечения его срока${after('; в Ваш кошелёк зачислено ', facts.money())}.`,
      ),
    kk: (facts, id) =>
      words(
        'Кешіккен төлем алынды',
        `Банк № ${invoiceOf(facts, id)} шоттың мерзімі өткеннен кейін төленгенін растады${after('; әмияныңызға ', facts.money(), ' түсті')}.`,
      ),
  },
  'invoice.failed': {
    en: (facts, id) =>
      words(
        'Payment failed',
        `The bank has not accepted the payment of invoice ${invoiceOf(facts, id)}. No money was credited.`,
        reasonOf(facts),
      ),
    ru: (facts, id) =>
      words('Оплата не прошла', `Банк не принял оплату счёта № ${invoiceOf(facts, id)}. Деньги не зачислены.`, reasonOf(facts)),
    kk: (facts, id) =>
      words('Төлем өтпеді', `Банк № ${invoiceOf(facts, id)} шоттың төлемін қабылдамады. Ақша түскен жоқ.`, reasonOf(facts)),
  },
  'invoice.expired': {
    en: (facts, id) =>
      words('Invoice expired', `Invoice ${invoiceOf(facts, id)} was not paid in time. Create a new one to top up your wallet.`),
    ru: (facts, id) =>
      words('Срок счёта истёк', `Счёт № ${invoiceOf(facts, id)} не был оплачен вовремя. Чтобы пополнить кошелёк, создайте новый.`),
    kk: (facts, id) =>
      words('Шоттың мерзімі өтті', `№ ${invoiceOf(facts, id)} шот уақытында төленбеді. Әмиянды толықтыру үшін жаңасын жасаңыз.`),
  },
  'invoice.mismatch': {
    en: (facts, id) =>
      words(
        'Payment is being checked',
        `The bank's answer does not match invoice ${invoiceOf(facts, id)}. No money was credited. The federation will check the payment.`,
      ),
    ru: (facts, id) =>
      words(
        'Платёж проверяется',
        `Сведения банка о счёте № ${invoiceOf(facts, id)} не совпадают с ним. Деньги не зачислены; федерация это проверит.`,
      ),
    kk: (facts, id) =>
      words(
        'Төлем тексерілуде',
        `Банктің № ${invoiceOf(facts, id)} шот туралы мәліметтері шотқа сәйкес келмейді. Ақша түскен жоқ; федерация мұны тексереді.`,
      ),
  },
});

/** Notifications about corrections and reversals. `direction`: `credit` or `debit` of the wallet. */
export const ledgerNotifications = defineNotifications({
  'ledger.corrected': {
    en: (facts, id) =>
      words(
        'Wallet corrected',
        `The federation has corrected your wallet${after(isDebit(facts) ? ': debited ' : ': credited ', facts.money())} (operation ${id}).`,
        reasonOf(facts),
      ),
    ru: (facts, id) =>
      words(
        'Исправление в кошельке',
        `Федерация внесла исправление в Ваш кошелёк${after(isDebit(facts) ? ': списано ' : ': зачислено ', facts.money())} (операция № ${id}).`,
        reasonOf(facts),
      ),
    kk: (facts, id) =>
      words(
        'Әмиянға түзету енгізілді',
        `Федерация әмияныңызға түзету енгізді${after(': ', facts.money(), isDebit(facts) ? ' алынды' : ' түсті')} (№ ${id} операция).`,
        reasonOf(facts),
      ),
  },
  'ledger.reversed': {
    en: (facts, id) =>
      words(
        'Operation reversed',
        `The federation has reversed operation ${id} of your wallet${after(isDebit(facts) ? ': debited ' : ': credited ', facts.money())}.`,
        reasonOf(facts),
      ),
    ru: (facts, id) =>
      words(
        'Операция отменена',
        `Федерация отменила операцию № ${id} в Вашем кошельке${after(isDebit(facts) ? ': списано ' : ': зачислено ', facts.money())}.`,
        reasonOf(facts),
      ),
    kk: (facts, id) =>
      words(
        'Операция кері қайтарылды',
        `Федерация әмияныңыздағы № ${id} операцияны кері қайтарды${after(': ', facts.money(), isDebit(facts) ? ' алынды' : ' түсті')}.`,
        reasonOf(facts),
      ),
  },
});

function isDebit(facts: Facts): boolean {
  return facts.text('direction') === 'debit';
}

function invoiceOf(facts: Facts, id: string): string {
  return facts.text('number') ?? id;
}
