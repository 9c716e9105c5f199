import { z } from 'zod';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { chooseLanguage, type Language } from '../../../http/language.ts';
import { renderVerdict } from '../../../http/response/page.ts';
import { pageFor } from '../../../http/response/reply.ts';

/** Field names that banks use for the order number. */
const names = ['invoice_number', 'invoice', 'number', 'order', 'order_id', 'InvoiceId'] as const;

/**
 * Finds the invoice number in a callback: JSON, a form or the query. Other fields are ignored, since a callback is only a hint
 * (WAL-5).
 * @returns null when no field can be an invoice number
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

/** The page to which the bank redirects the payer's browser. */
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
    heading: 'You can close this page',
    text: 'Return to the application from which you paid. It shows when the bank has confirmed the payment.',
  },
};

/** The return page. The request is not authenticated and proves no payment (WAL-5), so the page shows nothing of an invoice. */
export const paymentReturnRoutes: Route[] = (['GET', 'POST'] as const).map((method) =>
  defineRoute({
    name: method === 'GET' ? 'getPaymentReturnPage' : 'postPaymentReturnPage',
    method,
    path: paymentReturnPath,
    access: access.public,
    atRoot: true,
    answersPeople: true,
    // Some banks return the browser by POST; the body is ignored.
    bodyKind: 'ignored',
    tag: 'Applications and money',
    summary: "Show the page to which the bank's form returns the payer",
    request: { query: z.looseObject({}) },
    response: { content: ['text/html'] },
    handler: async ({ query, header }) => {
      const language = chooseLanguage(query['lang'], header('accept-language'));
      const { title, heading, text } = texts[language];
      return pageFor({ language, title, content: renderVerdict('notice', heading, text), query: '' });
    },
  }),
);
