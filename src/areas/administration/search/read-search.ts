import { splitSearch } from '../../../platform/text.ts';
import { numberLike } from '../athletes/list-athletes.ts';

/** What the text of a search names (ADM-9). */
export type Search =
  | { names: 'request'; requestId: string }
  /** A process or a record, `application/12`. */
  | { names: 'record'; kind: string; id: number }
  | { names: 'words'; text: string; certificates: string[]; contract: string | null; invoice: InvoiceName | null; hasBeginnings: boolean };

export interface InvoiceName {
  number: string;
  /** Null when the digits are no id. */
  id: number | null;
}

const requestId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const record = /^([a-z][a-z_-]{0,39})\/([1-9]\d{0,9})$/;
/** Its letter is often typed in Cyrillic. */
const contractNumber = /^[aа]-\d{4}-\d{1,9}$/i;

const largestId = 2_147_483_647;
/** Shorter words and numbers begin too many others: they are found whole. */
const shortest = { word: 3, number: 5 };
const longestInvoiceNumber = 15;

/** Reads the text of a search. All patterns are linear. */
export function readSearch(text: string): Search {
  if (requestId.test(text)) return { names: 'request', requestId: text.toLowerCase() };
  const [, kind, number] = record.exec(text) ?? [];
  const id = Number(number);
  if (kind !== undefined && id <= largestId) return { names: 'record', kind, id };
  const { numbers: certificates, words } = splitSearch(text);
  return {
    names: 'words',
    text,
    certificates: words === '' ? certificates : [],
    contract: contractNumber.test(text) ? `A${text.slice(1)}` : null,
    invoice: invoiceIn(text),
    hasBeginnings: hasBeginnings(text),
  };
}

function invoiceIn(text: string): InvoiceName | null {
  if (!/^\d[\d ]*$/.test(text)) return null;
  const number = text.replaceAll(' ', '');
  if (number.length > longestInvoiceNumber) return null;
  const id = Number(number);
  return { number, id: id >= 1 && id <= largestId ? id : null };
}

function hasBeginnings(text: string): boolean {
  if (numberLike.test(text)) return text.replaceAll(/\D/g, '').length >= shortest.number;
  return text.split(/[^\p{L}\p{N}]/u).some((word) => [...word].length >= (/^\d/.test(word) ? shortest.number : shortest.word));
}
