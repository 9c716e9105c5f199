import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { type components, RegistryError } from '../../../../client/src/index.ts';
import { DownloadButton } from '../../shared/download.tsx';
import { useDraft } from '../../shared/draft.ts';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { Problem } from '../../shared/problem.tsx';
import { read, reread } from '../../shared/queries.ts';
import { registry, slowRegistry } from '../../shared/registry.ts';
import { wordOf } from '../../shared/status.tsx';
import { RecordProblems } from './records.tsx';
import { nationalTexts } from './texts.ts';

type Export = components['schemas']['NationalExport'];

const progressMs = 1500;

/** Makes the file of a list, says how far it is, and gives it. The last export is still here after the page is left. */
export function ExportOfList({ list, ids, onRemove }: { list: Export['list']; ids: readonly number[]; onRemove(ids: number[]): void }) {
  const { words, number, moment } = useLanguage();
  const texts = useTexts(nationalTexts);
  const [lastId, keepId] = useDraft(`export:${list}`);
  const start = useMutation({
    mutationFn: () => slowRegistry.POST(`/admin/national/lists/${list}/export`, { body: { ids: [...ids] } }),
    onSuccess: ({ data }) => keepId(String(data.id)),
    onError: reread,
  });
  const answer = useQuery({
    ...read('/admin/national/exports/{id}', { params: { path: { id: Number(lastId) } } }),
    enabled: lastId !== '',
    throwOnError: false,
    refetchInterval: ({ state }) => (state.data?.data.status === 'pending' ? progressMs : false),
  });
  const last = start.isPending || start.isError ? undefined : answer.data?.data;
  const isMaking = start.isPending || last?.status === 'pending';
  const file = last?.status === 'ready' ? last.file : undefined;
  useEffect(() => {
    if (last?.status === 'ready') void reread();
  }, [last?.status]);
  const unfit = unfitOf(start.error) ?? last?.failure?.records ?? [];
  const removeUnfit = () => {
    onRemove(unfit.map(({ id }) => id));
    start.reset();
    keepId('');
  };
  return (
    <>
      <Group gap="xs" align="flex-start">
        <Button loading={isMaking} disabled={ids.length === 0} onClick={() => start.mutate()}>
          {texts.export.start} ({number(ids.length)})
        </Button>
        <DownloadButton
          name={`national-${list}-template.xlsx`}
          read={() => registry.GET(`/admin/national/templates/${list}`, { parseAs: 'blob' })}
        >
          {texts.export.template}
        </DownloadButton>
        {file && (
          // By the browser: an archive of photos may have 300 MB.
          <Button component="a" variant="default" href={file.download_url} download>
            {texts.export.download}
          </Button>
        )}
      </Group>
      <Text size="sm" role="status">
        {isMaking && texts.export.making}
        {file && texts.export.ready(moment(file.kept_until ?? ''))}
        {file === null && texts.export.deleted}
        {last?.failure && wordOf(last.failure.code, words.problems.codes)}
      </Text>
      {start.error !== null && <Problem error={start.error} />}
      <RecordProblems title={texts.export.unfit} records={unfit} />
      {unfit.length > 0 && (
        <Button variant="default" onClick={removeUnfit} style={{ alignSelf: 'flex-start' }}>
          {texts.export.removeUnfit}
        </Button>
      )}
      <RecordProblems title={texts.export.notMarked} records={last?.not_marked ?? []} />
    </>
  );
}

/** The records of 422 `export_not_possible`. */
function unfitOf(error: Error | null): Export['not_marked'] | undefined {
  return error instanceof RegistryError ? (error.details['records'] as Export['not_marked'] | undefined) : undefined;
}
