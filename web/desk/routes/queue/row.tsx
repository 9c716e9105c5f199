import { Button, NavLink, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { Filters } from '../../shared/filters.ts';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { Empty, type Fact, Facts } from '../../shared/page.tsx';
import { wordOf } from '../../shared/status.tsx';
import type { QueueItem } from '../records/record.tsx';
import { queueTexts } from './texts.ts';
import { nameOf, type QueueFilter } from './use-queue.ts';

interface RowProps {
  item: QueueItem;
  filters: Filters<QueueFilter>;
  openName: string | undefined;
  /** Whether "back" skips it. */
  replaces: boolean;
}

/** The link to an item, in two lines. */
export function QueueRow({ item, filters, openName, replaces }: RowProps) {
  const { words, ago, moment } = useLanguage();
  const texts = useTexts(queueTexts);
  const open = nameOf(item);
  const isOpen = open === openName;
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isOpen) link.current?.scrollIntoView({ block: 'nearest' });
  }, [isOpen]);
  // The API puts the type of a document and the stage of an event before the title.
  const [, part, rest] = item.kind === 'document' || item.kind === 'event_stage' ? (/^(\w+): (.+)$/.exec(item.title) ?? []) : [];
  const kind = part === undefined ? words.kinds[item.kind] : wordOf(part, { ...words.documentTypes, ...texts.stages });
  return (
    <NavLink
      renderRoot={(props) => <Link {...props} ref={link} to="/queue" search={{ ...filters, open }} replace={replaces} />}
      label={
        <Text size="sm" truncate>
          {rest ?? item.title}
        </Text>
      }
      description={[kind, ago(item.waiting_since), ...item.flags.map((flag) => texts.flags[flag])].join(' · ')}
      title={moment(item.waiting_since)}
      active={isOpen}
      py={4}
      px="xs"
      style={{ scrollMarginBlock: 48 }}
      // Dimmed, it has too little contrast on the colour of the open item.
      styles={{ description: { opacity: 1 } }}
    />
  );
}

/** Says which filters hide something, or that there is nothing to do. @param filters by name and value; one that is not set has none */
export function NothingWaits({ filters, onClear }: { filters: readonly Fact[]; onClear(): void }) {
  const texts = useTexts(queueTexts);
  if (filters.every(([, value]) => value === undefined)) return <Empty>{texts.empty}</Empty>;
  return (
    <div>
      <Empty>{texts.nothingFound}</Empty>
      <Facts facts={filters} />
      <Button variant="default" mt="xs" onClick={onClear}>
        {texts.clear}
      </Button>
    </div>
  );
}
