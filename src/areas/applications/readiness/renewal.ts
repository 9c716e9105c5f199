import { requiredOn, type Requirements } from '../../catalog/index.ts';
import { isExpiredOn } from '../../documents/index.ts';
import type { AttachedDocument } from '../record.ts';

/**
 * Whether an exchange of documents behind a certificate in force renews them ahead (APP-10): every document that it takes away gets an
 * approved one in its place that meets the same requirement and is valid at least as long. Pure.
 *
 * @param before documents that count, all approved
 * @param day `YYYY-MM-DD`, the day for which the certificate is judged
 */
export function isRenewal(
  before: readonly AttachedDocument[],
  after: readonly AttachedDocument[],
  requirements: Requirements,
  day: string,
): boolean {
  const isIn = (set: readonly AttachedDocument[], { id }: AttachedDocument) => set.some((one) => one.id === id);
  const removed = before.filter((document) => !isIn(after, document)).toSorted(byLastDay);
  const added = after.filter((document) => !isIn(before, document)).toSorted(byLastDay);
  const required = requiredOn(requirements, day);
  const meetsSame = (left: AttachedDocument, right: AttachedDocument) =>
    left.type === right.type || required.some(({ types }) => types.includes(left.type) && types.includes(right.type));
  if (added.length === 0 || added.length !== removed.length) return false;
  if (added.some((document) => document.status !== 'approved' || !document.isFileAvailable || isExpiredOn(document, day))) return false;
  // Longest to longest: within a requirement no other pairing fits where this one fails.
  const free = new Set(added);
  return removed.every((old) => {
    const successor = [...free].find((document) => meetsSame(old, document) && lastsAsLong(document, old));
    return successor !== undefined && free.delete(successor);
  });
}

function lastsAsLong(next: AttachedDocument, old: AttachedDocument): boolean {
  return next.expiresAt === null || (old.expiresAt !== null && next.expiresAt >= old.expiresAt);
}

/** Longest first; a document without a last day before all others. */
function byLastDay(left: AttachedDocument, right: AttachedDocument): number {
  return (right.expiresAt ?? '9999').localeCompare(left.expiresAt ?? '9999');
}
