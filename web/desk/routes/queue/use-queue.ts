import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { given, oneOf, pageOf, useFilters } from '../../shared/filters.ts';
import { read } from '../../shared/queries.ts';
import type { QueueItem } from '../records/record.tsx';

/** How often the list is read again; other clerks decide too. */
export const rereadMs = 30_000;
const pageSize = 25;

/** The kinds that wait, in the order of the filter. */
export const queueKinds = [
  'application',
  'profile',
  'photo',
  'document',
  'event_stage',
  'additional_document',
  'contract',
  'contract_ended',
  'incident',
  'contact_message',
] as const satisfies readonly QueueItem['kind'][];

export type QueueFilter = 'kind' | 'q' | 'waiting_before' | 'page' | 'open';

/** What is open, as it was when it was opened, and its place in the list. */
interface Opened {
  name: string | undefined;
  item: QueueItem | undefined;
  /** -1 until the list has had it. */
  place: number;
}

/** The value of `open` in the address: `photo-5`, `event_stage-7-results`. */
export function nameOf({ kind, id, stage }: QueueItem): string {
  return stage === undefined ? `${kind}-${id}` : `${kind}-${id}-${stage}`;
}

/** The record that a value of `open` names; null for what is no name. */
export function parseName(name = ''): { kind: string; id: number } | null {
  const [, kind, id] = /^([a-z_]+)-(\d+)(?:-[a-z_]+)?$/.exec(name) ?? [];
  return kind === undefined ? null : { kind, id: Number(id) };
}

/** A page of the queue and what is open of it. What is open stays open, whatever the list becomes, until the clerk goes on. */
export function useQueue(opensFirst: boolean) {
  const client = useQueryClient();
  const [filters, change] = useFilters<QueueFilter>();
  const page = pageOf(filters.page);
  const query = given({
    kind: oneOf(queueKinds, filters.kind),
    q: filters.q,
    waiting_before: filters.waiting_before,
    page,
    limit: pageSize,
  });
  const listRead = read('/admin/queue', { params: { query } });
  const list = useQuery({ ...listRead, placeholderData: keepPreviousData, refetchInterval: rereadMs, throwOnError: false });
  const items = list.data?.data ?? [];

  const { open } = filters;
  // The first or the last item of a page that is still to be read.
  const isTurning = open === 'first' || open === 'last';
  const [opened, setOpened] = useState<Opened>({ name: undefined, item: undefined, place: -1 });
  const name = isTurning ? opened.name : open;
  const place = items.findIndex((item) => nameOf(item) === name);
  if (name !== opened.name) setOpened({ name, item: items[place], place });
  else if (place !== -1 && place !== opened.place) setOpened({ name, item: opened.item ?? items[place], place });

  const show = (next: string | null, ofPage = page) => change({ open: next, page: ofPage === 1 ? null : String(ofPage) });
  useEffect(() => {
    if (list.data === undefined || list.isPlaceholderData) return;
    const chosen = open === 'last' ? items.at(-1) : open === 'first' || (open === undefined && opensFirst) ? items[0] : undefined;
    if (chosen !== undefined) show(nameOf(chosen));
    else if (items.length === 0 && page > 1) show(open ?? null, 1);
  });

  const latest = useRef(name);
  useEffect(() => {
    latest.current = name;
  }, [name]);

  return {
    filters,
    change,
    list,
    items,
    opened,
    show,
    /** Opens the item after the open one, also of the next page. */
    next() {
      const following = items[place === -1 ? Math.max(opened.place, 0) : place + 1];
      if (following !== undefined) show(nameOf(following));
      else if (list.data !== undefined && !list.isPlaceholderData && page * pageSize < list.data.meta.total) show('first', page + 1);
    },
    /** Opens the item before the open one, also of the page before. */
    previous() {
      const former = items[opened.place - 1];
      if (former !== undefined) show(nameOf(former));
      else if (!list.isPlaceholderData && page > 1) show('last', page - 1);
    },
    /** Goes on from a decided item, unless the clerk has gone on, and reads the list again. */
    async goOnFrom(decided: string) {
      const at = Math.max(opened.place, 0);
      const others = (of: readonly QueueItem[]) => of.filter((item) => nameOf(item) !== decided);
      const isOpen = () => latest.current === decided;
      const following = others(items)[at];
      if (isOpen() && following !== undefined) show(nameOf(following));
      await Promise.all(['/admin/queue', '/admin/overview'].map((path) => client.invalidateQueries({ queryKey: [path] })));
      if (!isOpen() || following !== undefined) return;
      // It was the last of the page: the next page has moved up, or the item before is the end.
      const left = others(client.getQueryData(listRead.queryKey)?.data ?? []);
      const last = left[at] ?? left.at(-1);
      if (last === undefined) show(null, 1);
      else show(nameOf(last));
    },
  };
}
