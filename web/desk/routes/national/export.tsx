import { Anchor, Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type components, RegistryError } from '../../../../client/src/index.ts';
import { DownloadButton } from '../../shared/download.tsx';
import { useTexts } from '../../shared/language.tsx';
import { Problem } from '../../shared/problem.tsx';
import { read, reread } from '../../shared/queries.ts';
import { RecordLink } from '../../shared/record-link.tsx';
import { registry, slowRegistry } from '../../shared/registry.ts';
import { useAdministrator } from '../../shared/session.tsx';
import { Status } from '../../shared/status.tsx';
import { DataTable } from '../../shared/table.tsx';
import { RecordProblems } from './records.tsx';
import { nationalTexts } from './texts.ts';

type Export = components['schemas']['NationalExport'];

/** Makes the file of a list, says how far it is, and gives it; below, the latest files of all administrators. */
export function ExportOfList({ list, ids, onRemove }: { list: Export['list']; ids: readonly number[]; onRemove(ids: number[]): void }) {
  const { words, number, moment, texts: all } = useTexts(nationalTexts);
  const texts = all.export;
  const { id: me } = useAdministrator();
  const start = useMutation({
    mutationFn: () => slowRegistry.POST(`/admin/national/lists/${list}/export`, { body: { ids: [...ids] } }),
    onSettled: reread,
  });
  const latest = useQuery({
    ...read('/admin/national/exports', { params: { query: { list, limit: 5 } } }),
    throwOnError: false,
    refetchInterval: ({ state }) => (start.isPending || state.data?.data.some(({ status }) => status === 'pending') ? 1500 : false),
  });
  const rows = latest.data?.data ?? [];
  const own = rows.find(({ administrator_id: id }) => id === me);
  const isMaking = start.isPending || own?.status === 'pending';
  const last = useQuery({
    ...read('/admin/national/exports/{id}', { params: { path: { id: own?.id ?? 0 } } }),
    enabled: own !== undefined && !isMaking,
    throwOnError: false,
  }).data?.data;
  const refused = start.error instanceof RegistryError ? (start.error.details['records'] as Export['not_marked'] | undefined) : undefined;
  const unfit = (refused ?? last?.failure?.records ?? []).filter(({ id }) => ids.includes(id));
  const fileOf = ({ status, done, count, file }: (typeof rows)[number]) => {
    if (status === 'pending') return texts.done(number(done), number(count));
    if (file === null) return status === 'failed' ? <Status value={status} /> : texts.deleted;
    // By the browser: an archive of photos may have 300 MB.
    return (
      <Anchor size="sm" href={file.download_url} download>
        {texts.download} ({number(count)})
      </Anchor>
    );
  };
  return (
    <>
      <Group gap="xs" align="flex-start">
        <Button loading={isMaking} disabled={ids.length === 0} onClick={() => start.mutate()}>
          {texts.start} ({number(ids.length)})
        </Button>
        <DownloadButton
          name={`national-${list}-template.xlsx`}
          read={() => registry.GET(`/admin/national/templates/${list}`, { parseAs: 'blob' })}
        >
          {texts.template}
        </DownloadButton>
      </Group>
      <Text size="sm" role="status">
        {isMaking && texts.making}
      </Text>
      {start.error !== null && <Problem error={start.error} />}
      <RecordProblems title={texts.unfit} records={unfit} />
      {unfit.length > 0 && (
        <Button variant="default" onClick={() => onRemove(unfit.map(({ id }) => id))} style={{ alignSelf: 'flex-start' }}>
          {texts.removeUnfit}
        </Button>
      )}
      <RecordProblems title={texts.notMarked} records={last?.not_marked ?? []} />
      <DataTable
        label={texts.latest}
        rows={rows}
        keyOf={({ id }) => id}
        empty={words.none}
        columns={[
          { title: texts.latest, cell: fileOf },
          { title: words.at, cell: ({ requested_at: at }) => moment(at) },
          { title: words.actor, cell: ({ administrator_id: id }) => <RecordLink kind="user" id={id} /> },
        ]}
      />
    </>
  );
}
