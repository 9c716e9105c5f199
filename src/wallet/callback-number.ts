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
