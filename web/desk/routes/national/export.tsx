import { Button, Group, Loader, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { type components, RegistryError } from '../../../../client/src/index.ts';
import { DownloadButton } from '../../shared/download.tsx';
import { useDraft } from '../../shared/draft.ts';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { Problem } from '../../shared/problem.tsx';
import { read } from '../../shared/queries.ts';
import { registry, slowRegistry } from '../../shared/registry.ts';
import { wordOf } from '../../shared/status.tsx';
import { RecordProblems } from './records.tsx';
import { nationalTexts } from './texts.ts';

type Export = components['schemas']['NationalExport'];

const progressMs = 1500;

interface ExportProps {
  list: Export['list'];
  ids: readonly number[];
  onRemove(ids: number[]): void;
}

/** Makes the file of a list, says how far it is, and gives it. The last export is still here after the page is left. */
export function ExportOfList({ list, ids, onRemove }: ExportProps) {
  const { words, number, moment } = useLanguage();
  const texts = useTexts(nationalTexts);
  const client = useQueryClient();
  const [lastId, keepId] = useDraft(`export:${list}`);
  const start = useMutation({
    mutationFn: () => slowRegistry.POST(`/admin/national/lists/${list}/export`, { body: { ids: [...ids] } }),
    onSuccess: ({ data }) => keepId(String(data.id)),
    onError: () => client.invalidateQueries({ queryKey: ['/admin/national'] }),
  });
  const answer = useQuery({
    ...read('/admin/national/exports/{id}', { params: { path: { id: Number(lastId) } } }),
    enabled: lastId !== '',
    throwOnError: false,
    refetchInterval: ({ state }) => (state.data?.data.status === 'pending' ? progressMs : false),
  });
  const last = start.isPending || start.isError ? undefined : answer.data?.data;
  const isReady = last?.status === 'ready';
  useEffect(() => {
    if (isReady) void client.invalidateQueries({ queryKey: ['/admin/national'] });
  }, [client, isReady]);
  const unfit = unfitOf(start.error) ?? last?.failure?.records ?? [];
  return (
    <>
      <Group gap="xs" align="flex-start">
        <Button loading={start.isPending} disabled={ids.length === 0} onClick={() => start.mutate()}>
          {texts.export.start} ({number(ids.length)})
        </Button>
        <DownloadButton
          name={`national-${list}-template.xlsx`}
          read={() => registry.GET(`/admin/national/templates/${list}`, { parseAs: 'blob' })}
        >
          {texts.export.template}
        </DownloadButton>
        {last?.file && isReady && (
          // By the browser: an archive of photos may have 300 MB.
          <Button component="a" variant="default" href={last.file.download_url} download>
            {texts.export.download}
          </Button>
        )}
      </Group>
      <Group gap="xs" role="status">
        {(start.isPending || last?.status === 'pending') && (
          <>
            <Loader size="xs" />
            <Text size="sm">{texts.making}</Text>
          </>
        )}
        {isReady && (
          <Text size="sm">{last.file === null ? texts.deleted : texts.ready(number(last.count), moment(last.file.kept_until ?? ''))}</Text>
        )}
        {last?.failure && <Text size="sm">{wordOf(last.failure.code, words.problems.codes)}</Text>}
      </Group>
      {start.error !== null && <Problem error={start.error} />}
      <RecordProblems title={texts.unfit} records={unfit} sentences={texts.problems} />
      {unfit.length > 0 && (
        <Group>
          <Button
            variant="default"
            onClick={() => {
              onRemove(unfit.map(({ id }) => id));
              start.reset();
              keepId('');
            }}
          >
            {texts.export.removeUnfit}
          </Button>
        </Group>
      )}
      <RecordProblems title={texts.notMarked} records={last?.not_marked ?? []} sentences={texts.problems} />
    </>
  );
}

/** The records of 422 `export_not_possible`. */
function unfitOf(error: Error | null): Export['not_marked'] | undefined {
  return error instanceof RegistryError ? (error.details['records'] as Export['not_marked'] | undefined) : undefined;
}
