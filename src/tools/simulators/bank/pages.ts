import { escapeHtml } from '../../../http/response/page.ts';
import { renderPage } from '../simulator.ts';
import type { BankRecord, StatusAnswer } from './book.ts';

const style = `
  :root { color-scheme: light dark; }
  body { font: 1rem/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 28rem; padding: 1rem; }
  h1 { font-size: 1.25rem; } .amount { font-size: 2rem; margin: .5rem 0; }
  dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; } dd { margin: 0; overflow-wrap: anywhere; }
  button, a.button { box-sizing: border-box; display: block; width: 100%; min-height: 3rem; margin: .75rem 0; padding: .6rem; font: inherit; text-align: center;
    border: 1px solid #0a6; border-radius: .5rem; background: #0a6; color: #fff; text-decoration: none; }
  button.plain { background: none; color: inherit; border-color: #888; }
  table { border-collapse: collapse; width: 100%; } td, th { text-align: left; padding: .25rem .5rem .25rem 0; }
  small { opacity: .75; } code { overflow-wrap: anywhere; }`;

const stateWords: Record<StatusAnswer['state'], string> = {
  pending: 'ожидает оплаты · төлем күтілуде · pending',
  paid: 'оплачено · төленді · paid',
  failed: 'отказ · бас тартылды · refused',
};

function page(title: string, body: string): string {
  return renderPage(
    escapeHtml(title),
    style,
    body,
    'Учебный банк, деньги не настоящие. · Оқу банкі, ақша шын емес. · A bank simulator, no real money moves.',
  );
}

/** Formats tiyn: `12 975,00 KZT`. */
function formatAmount(amountMinor: number | null, currency: string | null): string {
  if (amountMinor === null) return '—';
  const amount = new Intl.NumberFormat('ru-RU', { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(amountMinor / 100);
  return `${amount} ${currency ?? ''}`.trim();
}

function facts(record: BankRecord): string {
  return `<p class="amount">${escapeHtml(formatAmount(record.amountMinor, record.currency))}</p>
<dl><dt>Счёт · Шот · Invoice</dt><dd>${escapeHtml(record.number)}</dd></dl>`;
}

function wayBack(record: BankRecord): string {
  return record.returnUrl
    ? `<a class="button" href="${escapeHtml(record.returnUrl)}">Вернуться в магазин · Дүкенге оралу · Back to the shop</a>`
    : '';
}

/** Renders the payment page: two forms with one button each, without scripts. */
export function paymentPage(record: BankRecord): string {
  const button = (decision: string, label: string, kind: string): string => `
<form method="post" action="/pay/${encodeURIComponent(record.number)}">
<input type="hidden" name="ticket" value="${escapeHtml(record.ticket)}"><input type="hidden" name="decision" value="${decision}">
<button type="submit" class="${kind}">${label}</button></form>`;
  return page(
    'Оплата · Төлем · Payment',
    `<h1>Оплата счёта · Шотты төлеу · Payment</h1>${facts(record)}${button('pay', 'Оплатить · Төлеу · Pay', 'strong')}${button('refuse', 'Отказаться · Бас тарту · Refuse', 'plain')}`,
  );
}

export function resultPage(record: BankRecord, state: StatusAnswer['state']): string {
  return page(stateWords[state], `<h1>${stateWords[state]}</h1>${facts(record)}${wayBack(record)}`);
}

export function problemPage(title: string, text: string): string {
  return page(title, `<h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>`);
}

/** Renders the front page: recent invoices. */
export function overviewPage(records: { record: BankRecord; state: StatusAnswer['state'] }[]): string {
  const rows = records.map(
    ({ record, state }) => `<tr><td><a href="/control/${encodeURIComponent(record.number)}">${escapeHtml(record.number)}</a></td>
<td>${escapeHtml(formatAmount(record.amountMinor, record.currency))}</td><td>${stateWords[state]}</td></tr>`,
  );
  const list =
    rows.length > 0
      ? `<table><tr><th>Счёт · Шот · Invoice</th><th>Сумма · Сома · Amount</th><th>Состояние · Күйі · State</th></tr>${rows.join('')}</table>`
      : '<p>Счетов ещё нет. · Шот әлі жоқ. · No invoices yet.</p>';
  return page(
    'Банк · Bank simulator',
    `<h1>Банк · Bank simulator</h1>${list}
<p><small>Сбои по заказу · Тапсырыспен ақаулар · Faults on demand: <code>POST /control/{invoice number}</code> <code>{"outcome":"late","delay_ms":5000}</code>;
исходы · нәтижелер · outcomes: paid, failed, late, twice, wrong_amount, wrong_currency, wrong_terminal, wrong_invoice, timeout, error.</small></p>`,
  );
}
