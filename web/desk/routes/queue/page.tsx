import { Box, Button, Group } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { CSSProperties } from 'react';
import { useKeys } from '../../shared/keys.tsx';
import { useTexts } from '../../shared/language.tsx';
import { OpenedRecord } from './opened-record.tsx';
import { queueTexts } from './texts.ts';
import { parseName, useQueue } from './use-queue.ts';
import { Waiting } from './waiting.tsx';

/** The list stays in view beside a long record. */
const column: CSSProperties = {
  flex: '0 0 300px',
  position: 'sticky',
  top: 'calc(var(--app-shell-header-height) + var(--mantine-spacing-md))',
  maxHeight: 'calc(100dvh - var(--app-shell-header-height) - 2 * var(--mantine-spacing-md))',
  overflowY: 'auto',
  // Room for the outlines of what has the focus.
  padding: 4,
  margin: -4,
};

/** All that waits for an administrator, decided one after another; on a narrow screen the list or the record. */
export function QueuePage() {
  const texts = useTexts(queueTexts);
  const isWide = useMediaQuery('(min-width: 64em)', undefined, { getInitialValueInEffect: false });
  const queue = useQueue(isWide);
  const { name, item } = queue.opened;
  useKeys([
    { key: 'j', text: texts.keys.next, run: queue.next },
    { key: 'k', text: texts.keys.previous, run: queue.previous },
  ]);
  const named = parseName(name);
  // The item says the stage; without the list the record is shown all the same.
  const record = named !== null && name !== undefined && (item !== undefined || !queue.list.isPending) && (
    <OpenedRecord key={name} {...named} item={item} readAt={queue.list.dataUpdatedAt} onDecided={() => void queue.goOnFrom(name)} />
  );
  if (isWide)
    return (
      <Group align="flex-start" wrap="nowrap">
        <Box style={column}>
          <Waiting queue={queue} isBesideRecord />
        </Box>
        {record}
      </Group>
    );
  if (named === null) return <Waiting queue={queue} isBesideRecord={false} />;
  return (
    <>
      <Button variant="default" mb="sm" onClick={() => queue.show(null)}>
        {texts.back}
      </Button>
      {record}
    </>
  );
}
