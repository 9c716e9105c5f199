import type { LinkProps } from '@tanstack/react-router';
import { memo } from 'react';
import { useLanguage } from './language.tsx';
import { wordOf } from './status.tsx';
import { TextLink } from './text-link.tsx';

export type Address = Pick<LinkProps, 'to' | 'params' | 'search'>;

/** Kinds with a page of a record, by the names that the queue, the audit and the processes give them. */
const pages: Readonly<Record<string, string>> = {
  additional_document: 'additional_document',
  agreement: 'contract',
  application: 'application',
  contact_message: 'contact_message',
  contract: 'contract',
  contract_ended: 'contract',
  document: 'document',
  event: 'event',
  event_stage: 'event',
  incident: 'incident',
  invoice: 'invoice',
  photo: 'profile',
  profile: 'profile',
  profile_photo: 'profile',
  registration: 'registration',
};

/** The address of a record in the desk; null when it has no page. */
export function addressOf(kind: string, id: number | string): Address | null {
  const page = pages[kind];
  if (page !== undefined) return { to: '/records/$kind/$id', params: { kind: page, id: String(id) } };
  if (kind === 'user' || kind === 'delivery') return { to: '/people/$id', params: { id: String(id) } };
  if (kind === 'chat' && Number(id) > 0) return { to: '/chats', search: { person: String(id) } };
  if (kind === 'process') return { to: '/processes', search: { q: String(id) } };
  if (kind === 'request') return { to: '/audit', search: { request_id: String(id) } };
  return null;
}

/** Names a record by its kind and number. */
export function useRecordName(): (kind: string, id: number | string) => string {
  const { words } = useLanguage();
  return (kind, id) => {
    const word = wordOf(kind.replaceAll('-', '_'), words.kinds);
    return Number.isInteger(Number(id)) ? words.record(word, id) : `${word} ${id}`;
  };
}

/** Leads to a record; only its name when it has no page. Long tables are drawn often. @param name by default its kind and number */
export const RecordLink = memo(function RecordLink({ kind, id, name }: { kind: string; id: number | string; name?: string | null }) {
  const nameOf = useRecordName();
  const address = addressOf(kind, id);
  const shown = name ?? nameOf(kind, id);
  return address === null ? shown : <TextLink {...address}>{shown}</TextLink>;
});
