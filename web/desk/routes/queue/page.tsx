import { Box, Button, Group, Loader } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { QueryErrorResetBoundary, useQueryErrorResetBoundary } from '@tanstack/react-query';
import { CatchBoundary } from '@tanstack/react-router';
import { type CSSProperties, Suspense, useEffect, useRef } from 'react';
import { useKeys } from '../../shared/keys.tsx';
import { useTexts } from '../../shared/language.tsx';
import { Problem } from '../../shared/problem.tsx';
import { RecordView } from '../records/record.tsx';
import { queueTexts } from './texts.ts';
import { type Named, parseName, type Queue, useQueue } from './use-queue.ts';
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
export function RoutePage() {
  const { texts } = useTexts(queueTexts);
  const isWide = useMediaQuery('(min-width: 64em)', undefined, { getInitialValueInEffect: false });
  const queue = useQueue(isWide);
  const { list, opened, show } = queue;
  useKeys([
    { key: 'j', text: texts.next, run: queue.next },
    { key: 'k', text: texts.previous, run: queue.previous },
  ]);
  const named = parseName(opened.name);
  // The item says the stage; without the list the record is shown all the same.
  const record = named !== null && (opened.item !== undefined || !list.isPending) && (
    <OpenedRecord key={opened.name} named={named} queue={queue} />
  );
  if (isWide)
    return (
      <Group align="flex-start" wrap="nowrap">
        <Box style={column}>
          <Waiting queue={queue} />
        </Box>
        {record}
      </Group>
    );
  if (named === null) return <Waiting queue={queue} />;
  return (
    <>
      <Button variant="default" mb="sm" onClick={() => show(null)}>
        {texts.back}
      </Button>
      {record}
    </>
  );
}

/** The record of an item beside the list, with its own loading and its own refusal. */
function OpenedRecord({ named: { name, kind, id }, queue }: { named: Named; queue: Queue }) {
  const { list, opened, goOnFrom } = queue;
  const region = useRef<HTMLElement>(null);
  useEffect(() => {
    scrollTo(0, 0);
    // The focus was in the record before, or is on the link of another one; a field that is typed in keeps it.
    const focused = document.activeElement;
    if (focused === document.body || focused?.matches('nav a:not([aria-current])') === true) region.current?.focus({ preventScroll: true });
  }, []);
  return (
    <section ref={region} tabIndex={-1} aria-label={opened.item?.title ?? name} style={{ flex: 1, minWidth: 0, outline: 'none' }}>
      <QueryErrorResetBoundary>
        {/* A record that could not be read is read again with the list. */}
        <CatchBoundary getResetKey={() => list.dataUpdatedAt} errorComponent={Refusal}>
          <Suspense fallback={<Loader />}>
            <RecordView kind={kind} id={id} {...(opened.item && { item: opened.item })} onDecided={() => void goOnFrom(name)} />
          </Suspense>
        </CatchBoundary>
      </QueryErrorResetBoundary>
    </section>
  );
}

function Refusal({ error, reset }: { error: unknown; reset(): void }) {
  const { reset: forget } = useQueryErrorResetBoundary();
  useEffect(forget, [forget]);
  return <Problem error={error} onRetry={reset} />;
}
