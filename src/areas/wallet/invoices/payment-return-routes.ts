import { z } from 'zod';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { chooseLanguage, type Language } from '../../../http/language.ts';
import { pageHeaders, renderPage, renderVerdict } from '../../../http/response/page.ts';
import { body } from '../../../http/response/reply.ts';

/** Names under which banks send the number of an order. */
const names = ['invoice_number', 'invoice', 'number', 'order', 'order_id', 'InvoiceId'] as const;

/**
 * Finds the invoice's number in whatever a bank posted: JSON, a form, or the address itself (decisions.md §5: any body, only
 * a hint). Nothing else of the callback is looked at.
 * @returns null when there is none that could be one of ours
 */
export function findCallbackNumber(body: string, query: Readonly<Record<string, unknown>>): string | null {
  for (const fields of [parseJson(body), Object.fromEntries(new URLSearchParams(body)), query]) {
    for (const name of names) {
      const number = asNumber(Object.hasOwn(fields, name) ? fields[name] : undefined);
      if (number !== null) return number;
    }
  }
  return null;
}

function asNumber(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && /^[0-9]{6,15}$/.test(text) ? text : null;
}

function parseJson(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Where the bank sends the payer's browser after its form. */
export const paymentReturnPath = '/payment-return';

const texts: Record<Language, { title: string; heading: string; text: string }> = {
  ru: {
    title: 'Возврат из банка',
    heading: 'Эту страницу можно закрыть',
    text: 'Вернитесь в приложение, из которого вы платили: там видно, когда банк подтвердит оплату.',
  },
  kk: {
    title: 'Банктен қайту',
    heading: 'Бұл бетті жабуға болады',
    text: 'Төлем жасаған қолданбаға оралыңыз: банк төлемді растағаны сол жерде көрінеді.',
  },
  en: {
    title: 'Back from the bank',
    heading: 'You may close this page',
    text: 'Return to the application you paid from: it shows when the bank has confirmed the payment.',
  },
};

/**
 * The browser comes here without a key, and with nothing that proves a payment (decisions.md §5): so the page is the same for
 * everybody and says nothing of an invoice.
 */
export const paymentReturnRoutes: Route[] = (['GET', 'POST'] as const).map((method) =>
  defineRoute({
    name: method === 'GET' ? 'getPaymentReturnPage' : 'postPaymentReturnPage',
    method,
    path: paymentReturnPath,
    access: access.public,
    atRoot: true,
    answersPeople: true,
    // Some banks send the browser back by a form of theirs; what is in it counts for nothing.
    bodyKind: 'ignored',
    tag: 'Applications and money',
    summary: "The page a payer sees on coming back from the bank's form",
    request: { query: z.looseObject({}) },
    response: { content: ['text/html'] },
    handler: async ({ query, header }) => {
      const language = chooseLanguage(query['lang'], header('accept-language'));
      const { title, heading, text } = texts[language];
      return body(renderPage(language, title, renderVerdict('notice', heading, text)), pageHeaders(language));
    },
  }),
);
