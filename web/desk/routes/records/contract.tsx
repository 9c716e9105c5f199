import { Button, Tabs, Text } from '@mantine/core';
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import type { components } from '../../../../client/src/index.ts';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { Section } from '../../shared/page.tsx';
import { Paper } from '../../shared/paper.tsx';
import { Problem } from '../../shared/problem.tsx';
import { read } from '../../shared/queries.ts';
import { RecordLink } from '../../shared/record-link.tsx';
import { registry } from '../../shared/registry.ts';
import { wordOf } from '../../shared/status.tsx';
import { competitionTexts } from './competition-texts.ts';
import type { Choice } from './decision.tsx';
import { RecordLayout } from './layout.tsx';
import type { RecordProps } from './record.tsx';
import { recordTexts } from './texts.ts';

type Contract = components['schemas']['Contract'];

const choices: readonly Choice[] = [
  { decision: 'confirm', needsNote: false },
  { decision: 'reject', needsNote: true },
];

/** An agreement with an organizer: the signed scan beside its original. */
export function ContractRecord({ id, item, onDecided }: RecordProps) {
  const { words, day } = useLanguage();
  const texts = useTexts(recordTexts);
  const own = useTexts(competitionTexts);
  const params = { path: { id } };
  const { data: contract } = useSuspenseQuery(read('/contracts/{id}', { params })).data;
  return (
    <RecordLayout
      kind="contract"
      id={id}
      title={`${words.kinds.contract} ${contract.number}`}
      status={contract.status}
      facts={[
        [texts.status, wordOf(contract.status, words.statuses)],
        [texts.number, contract.number],
        [own.version, String(contract.version)],
        [own.signer, `${contract.signer.name}, ${contract.signer.position}`],
        [own.signedAt, day(contract.signed_at.slice(0, 10))],
        [own.pages, contract.pages === null ? null : String(contract.pages)],
        [own.scan, contract.scan_sha256?.slice(0, 12)],
        [own.rejectReason, contract.reason],
        [texts.reviewNote, contract.notes],
      ]}
      paper={<ContractPapers contract={contract} />}
      decision={{
        choices: contract.status === 'pending' ? choices : [],
        templates: own.contractNotes,
        decide: (decision, note) =>
          registry.POST('/admin/contracts/{id}/review', {
            params,
            body:
              decision === 'confirm'
                ? { decision, updated_at: contract.updated_at }
                : { decision: 'reject', reason: note, updated_at: contract.updated_at },
          }),
      }}
      onDecided={onDecided}
      related={[
        [words.kinds.event, <RecordLink key="event" kind="event" id={contract.event_id} />],
        ...(contract.previous === null
          ? []
          : [
              [
                own.previous,
                <RecordLink key="previous" kind="contract" id={contract.previous.id} name={contract.previous.number} />,
              ] as const,
            ]),
        ...(contract.replaced_by_id === null
          ? []
          : [[own.next, <RecordLink key="next" kind="contract" id={contract.replaced_by_id} />] as const]),
      ]}
      process={contract.process}
      timeline="/contracts/{id}/timeline"
    >
      {item?.kind === 'contract_ended' && <Seen id={id} onSeen={onDecided} />}
    </RecordLayout>
  );
}

function ContractPapers({ contract: { id, scan, original_sha256: original, updated_at: version } }: { contract: Contract }) {
  const own = useTexts(competitionTexts);
  const params = { path: { id } };
  const hasScan = scan?.file_id != null;
  if (!hasScan && original === null) return <Text size="sm">{own.original}: –</Text>;
  return (
    <Tabs defaultValue={hasScan ? 'scan' : 'original'} keepMounted={false}>
      <Tabs.List mb="xs">
        {hasScan && <Tabs.Tab value="scan">{own.scan}</Tabs.Tab>}
        {original !== null && <Tabs.Tab value="original">{own.original}</Tabs.Tab>}
      </Tabs.List>
      <Tabs.Panel value="scan">{hasScan && <Paper source={{ fileId: scan?.file_id ?? '' }} title={own.scan} />}</Tabs.Panel>
      <Tabs.Panel value="original">
        <Paper
          source={{ key: ['contract', id, version], read: () => registry.GET('/contracts/{id}/original', { params, parseAs: 'blob' }) }}
          title={own.original}
        />
      </Tabs.Panel>
    </Tabs>
  );
}

/** An agreement that ended leaves the queue when an administrator has seen it. */
function Seen({ id, onSeen }: { id: number; onSeen: (() => void) | undefined }) {
  const own = useTexts(competitionTexts);
  const client = useQueryClient();
  const note = useMutation({
    mutationFn: () => registry.POST('/admin/contracts/{id}/seen', { params: { path: { id } } }),
    onSuccess: () => {
      onSeen?.();
      return client.invalidateQueries({ queryKey: ['/admin/queue'] });
    },
  });
  return (
    <Section title={own.seenTitle}>
      {note.error !== null && <Problem error={note.error} />}
      <Button loading={note.isPending} onClick={() => note.mutate()}>
        {own.seen}
      </Button>
    </Section>
  );
}
