import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { given, pageOf, parseSearch, useFilters } from '../../shared/filters.ts';
import { read } from '../../shared/queries.ts';
import type { QueueItem } from '../records/record.tsx';

/** How often the list is read again; other clerks decide too. */
export const rereadMs = 30_000;
const pageSize = 25;

type QueueFilter = 'kind' | 'q' | 'waiting_before' | 'page' | 'open';

/** What is open, as it was when it was opened, and its place in the list: -1 until the list has had it. */
interface Opened {
  name: string | undefined;
  item: QueueItem | undefined;
  place: number;
}

/** The value of `open` in the address: `photo-5`, `event_stage-7-results`. */
export function nameOf({ kind, id, stage }: QueueItem): string {
  return stage === undefined ? `${kind}-${id}` : `${kind}-${id}-${stage}`;
}

/** The record that a value of `open` names; null for what is no name. */
export function parseName(name = '') {
  const [, kind, id] = /^([a-z_]+)-(\d+)(?:-[a-z_]+)?$/.exec(name) ?? [];
  return kind === undefined ? null : { name, kind, id: Number(id) };
}

export type Named = NonNullable<ReturnType<typeof parseName>>;
export type Queue = ReturnType<typeof useQueue>;

/** A page of the queue and what is open of it. What is open stays open, whatever the list becomes, until the clerk goes on. */
export function useQueue(opensFirst: boolean) {
  const client = useQueryClient();
  const [filters, change] = useFilters<QueueFilter>();
  const { open, q, waiting_before } = filters;
  const kind = filters.kind as QueueItem['kind'] | undefined;
  const page = pageOf(filters.page);
  const listRead = read('/admin/queue', { params: { query: given({ kind, q, waiting_before, page, limit: pageSize }) } });
  const list = useQuery({ ...listRead, placeholderData: keepPreviousData, refetchInterval: rereadMs, throwOnError: false });
  const items = list.data?.data ?? [];

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

  return {
    filters,
    /** Changes some filters, and closes the open item. */
    filter: (changes: Parameters<typeof change>[0]) => change({ ...changes, open: null }),
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
      // The address of now: the clerk may go on while the list is read.
      const isOpen = () => parseSearch(location.search)['open'] === decided;
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
