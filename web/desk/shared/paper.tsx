import { ActionIcon, Alert, Box, Button, Flex, Group, Loader, NumberInput, Text } from '@mantine/core';
import { useElementSize, useMergedRef } from '@mantine/hooks';
import { hashKey, queryOptions, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { saveFile } from './download.tsx';
import { useTexts } from './language.tsx';
import { Problem } from './problem.tsx';
import { registry } from './registry.ts';
import { defineTexts } from './texts.ts';

const paperTexts = defineTexts({
  smaller: ['Мельче', 'Кішірейту', 'Zoom out'],
  larger: ['Крупнее', 'Үлкейту', 'Zoom in'],
  fit: ['По ширине', 'Ені бойынша', 'Fit to width'],
  turn: ['Повернуть на 90°', '90° бұру', 'Rotate by 90°'],
  openTab: ['Открыть в новой вкладке', 'Жаңа қойындыда ашу', 'Open in a new tab'],
  save: ['Сохранить файл', 'Файлды сақтау', 'Save the file'],
  previous: ['Предыдущая страница', 'Алдыңғы бет', 'Previous page'],
  next: ['Следующая страница', 'Келесі бет', 'Next page'],
  page: ['Страница', 'Бет', 'Page'],
  of: (count: number) => [`из ${count}`, `барлығы ${count}`, `of ${count}`],
  unreadable: [
    'Файл нельзя показать здесь полностью. Сохраните его и откройте другой программой.',
    'Файлды мұнда толық көрсету мүмкін емес. Оны сақтап, басқа бағдарламамен ашыңыз.',
    'The file cannot be shown here completely. Save it, and open it with another program.',
  ],
});

/** A file by its id, or the answer of another address. The key of an answer must change with its content. */
export type PaperSource = { fileId: string } | { key: readonly unknown[]; read(): Promise<{ data: Blob }> };

export interface SheetProps {
  content: Blob;
  label: string;
  page: number;
  /** CSS pixels, after the rotation. */
  width: number;
  /** Quarters, clockwise. */
  turns: number;
  onPages(count: number): void;
  onUnreadable(): void;
}

/** Loads pdf.js with the first PDF. */
const PdfSheet = lazy(async () => ({ default: (await import('./paper-pdf.tsx')).PdfSheet }));

const keptMs = 60_000;
const zoomStep = 1.5;
const mostZoom = 4;
const leastZoom = 0.4;
/** On a wide screen the paper stays in sight while the form beside it scrolls. */
const top = 'calc(var(--app-shell-header-height, 0rem) + var(--mantine-spacing-md))';
const mostHeight = `calc(100dvh - ${top} - var(--mantine-spacing-md))`;

/** Shows a scan beside its form: an image, or a PDF page by page. */
export function Paper({ title, source }: { title: string; source: PaperSource }) {
  const query = contentOf(source);
  const { data, error, refetch } = useQuery(query);
  if (data !== undefined) return <Viewer key={hashKey(query.queryKey)} title={title} content={data} />;
  return error === null ? <Loader m="md" /> : <Problem error={error} onRetry={() => void refetch()} />;
}

function contentOf(source: PaperSource) {
  const { key, read } =
    'key' in source
      ? source
      : {
          key: [source.fileId],
          read: () => registry.GET('/files/{uuid}', { params: { path: { uuid: source.fileId } }, parseAs: 'blob' }),
        };
  return queryOptions({
    queryKey: ['paper', ...key],
    queryFn: async (): Promise<Blob> => (await read()).data,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: keptMs,
    // A refused paper must not take away the form beside it.
    throwOnError: false,
  });
}

function Viewer({ title, content }: { title: string; content: Blob }) {
  const { texts } = useTexts(paperTexts);
  const address = useBlobAddress(content);
  const box = useRef<HTMLDivElement>(null);
  const { ref, width } = useElementSize();
  const boxRef = useMergedRef(ref, box);
  const [zoom, setZoom] = useState(1);
  const [turns, setTurns] = useState(0);
  const [page, setPage] = useState(1);
  const [pages, setPages] = useState(1);
  const [isUnreadable, setIsUnreadable] = useState(false);
  const save = () => saveFile(content, `${title}.${content.type.split('/').at(-1)}`);
  const show = (next: number) => {
    setPage(next);
    setIsUnreadable(false);
    box.current?.scrollTo({ top: 0 });
  };
  /** Keeps the middle of what is seen in its place. */
  const rescale = (next: number) => {
    if (box.current === null) return;
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = box.current;
    flushSync(() => setZoom(next));
    const moved = (start: number, size: number) => ((start + size / 2) * next) / zoom - size / 2;
    box.current.scrollTo({ left: moved(scrollLeft, clientWidth), top: moved(scrollTop, clientHeight) });
  };
  const isPdf = content.type === 'application/pdf';
  const sheet = { content, page, width: Math.floor(width * zoom), turns, onPages: setPages, onUnreadable: () => setIsUnreadable(true) };
  return (
    <Flex direction="column" gap={4} pos={{ base: 'static', sm: 'sticky' }} top={top} mah={{ base: 'none', sm: mostHeight }}>
      <Group gap={4}>
        <Tool label={texts.smaller} icon="−" isOff={zoom / zoomStep < leastZoom} onClick={() => rescale(zoom / zoomStep)} />
        <Tool label={texts.larger} icon="+" isOff={zoom * zoomStep > mostZoom} onClick={() => rescale(zoom * zoomStep)} />
        <Tool label={texts.fit} icon="↔" onClick={() => rescale(1)} />
        <Tool label={texts.turn} icon="↻" onClick={() => setTurns((turns + 1) % 4)} />
        <ActionIcon component="a" variant="default" href={address} target="_blank" aria-label={texts.openTab} title={texts.openTab}>
          ↗
        </ActionIcon>
        <Tool label={texts.save} icon="↓" onClick={save} />
        {pages > 1 && (
          <Group gap={4} wrap="nowrap">
            <Tool label={texts.previous} icon="‹" isOff={page === 1} onClick={() => show(page - 1)} />
            <Text size="xs">{texts.page}</Text>
            <NumberInput
              aria-label={texts.page}
              w={44}
              hideControls
              allowDecimal={false}
              clampBehavior="strict"
              min={1}
              max={pages}
              value={page}
              onFocus={({ currentTarget }) => currentTarget.select()}
              onChange={(value) => typeof value === 'number' && value > 0 && show(value)}
            />
            <Text size="xs">{texts.of(pages)}</Text>
            <Tool label={texts.next} icon="›" isOff={page === pages} onClick={() => show(page + 1)} />
          </Group>
        )}
      </Group>
      {isUnreadable && (
        <Alert color="orange" role="alert" style={{ flexShrink: 0 }}>
          <Text size="sm" mb="xs">
            {texts.unreadable}
          </Text>
          <Button variant="default" onClick={save}>
            {texts.save}
          </Button>
        </Alert>
      )}
      <Box
        ref={boxRef}
        tabIndex={0}
        role="region"
        aria-label={title}
        bd="1px solid var(--mantine-color-default-border)"
        style={{ overflow: 'auto', scrollbarGutter: 'stable' }}
      >
        <Suspense fallback={<Loader m="md" />}>
          {width > 0 && isPdf && <PdfSheet {...sheet} label={`${title}. ${texts.page} ${page} ${texts.of(pages)}`} />}
          {width > 0 && !isPdf && <ImageSheet {...sheet} label={title} address={address} />}
        </Suspense>
      </Box>
    </Flex>
  );
}

function Tool({ label, icon, isOff = false, onClick }: { label: string; icon: string; isOff?: boolean; onClick(): void }) {
  return (
    <ActionIcon variant="default" aria-label={label} title={label} disabled={isOff} onClick={onClick}>
      {icon}
    </ActionIcon>
  );
}

/** An image in a frame of its rotated size: a transformation does not change the size of its box. */
function ImageSheet({ label, address, width, turns, onUnreadable }: SheetProps & { address: string | undefined }) {
  const [aspect, setAspect] = useState(1);
  const isOnSide = turns % 2 === 1;
  const height = isOnSide ? width / aspect : width * aspect;
  const transform = `translate(-50%, -50%) rotate(${turns * 90}deg)`;
  return (
    <div style={{ position: 'relative', overflow: 'hidden', margin: '0 auto', width, height }}>
      <img
        src={address}
        alt={label}
        onLoad={({ currentTarget }) => setAspect(currentTarget.naturalHeight / currentTarget.naturalWidth)}
        onError={onUnreadable}
        style={{ position: 'absolute', left: '50%', top: '50%', width: isOnSide ? height : width, transform }}
      />
    </div>
  );
}

/** An address of the content, which the component revokes. */
function useBlobAddress(content: Blob): string | undefined {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(content);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [content]);
  return address;
}
