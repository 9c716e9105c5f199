import { Loader } from '@mantine/core';
import { QueryErrorResetBoundary, useQueryErrorResetBoundary } from '@tanstack/react-query';
import { CatchBoundary } from '@tanstack/react-router';
import { Suspense, useEffect, useRef } from 'react';
import { Problem } from '../../shared/problem.tsx';
import { type QueueItem, RecordView } from '../records/record.tsx';

interface OpenedRecordProps {
  kind: string;
  id: number;
  item: QueueItem | undefined;
  /** When the list was read; a record that could not be read is tried again then. */
  readAt: number;
  onDecided(): void;
}

/** The record of an item beside the list, with its own loading and its own refusal. */
export function OpenedRecord({ kind, id, item, readAt, onDecided }: OpenedRecordProps) {
  const region = useRef<HTMLElement>(null);
  useEffect(() => {
    scrollTo(0, 0);
    if (isFocusFree()) region.current?.focus({ preventScroll: true });
  }, []);
  return (
    <section ref={region} tabIndex={-1} aria-label={item?.title ?? `${kind} ${id}`} style={{ flex: 1, minWidth: 0, outline: 'none' }}>
      <QueryErrorResetBoundary>
        <CatchBoundary getResetKey={() => readAt} errorComponent={Refusal}>
          <Suspense fallback={<Loader />}>
            <RecordView kind={kind} id={id} {...(item !== undefined && { item })} onDecided={onDecided} />
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

/** The focus was in the record before, or is on the link of another one; a field that is typed in keeps it. */
function isFocusFree(): boolean {
  const { activeElement } = document;
  return activeElement === document.body || activeElement?.matches('nav a:not([aria-current])') === true;
}
