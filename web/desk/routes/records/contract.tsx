import { useSuspenseQuery } from '@tanstack/react-query';
import { read } from '../../shared/queries.ts';
import { registry } from '../../shared/registry.ts';
import { RecordLayout } from './layout.tsx';
import type { RecordProps } from './record.tsx';
import { useRecordTexts } from './texts.ts';

/** An agreement with an organizer: the signed scan beside its original. One that ended leaves the queue when it was seen. */
export function ContractRecord({ id, item, onDecided }: RecordProps) {
  const { words, texts, day } = useRecordTexts();
  const params = { path: { id } };
  const { data: contract } = useSuspenseQuery(read('/contracts/{id}', { params })).data;
  const { updated_at, scan, original_sha256: original, previous, replaced_by_id: next } = contract;
  return (
    <RecordLayout
      kind="contract"
      id={id}
      title={`${words.kinds.contract} ${contract.number}`}
      status={contract.status}
      facts={[
        [texts.number, contract.number],
        [texts.version, String(contract.version)],
        [texts.signer, `${contract.signer.name}, ${contract.signer.position}`],
        [texts.signedAt, day(contract.signed_at.slice(0, 10))],
        [texts.pages, contract.pages?.toString()],
        [texts.scan, contract.scan_sha256?.slice(0, 12)],
        [words.reason, contract.reason],
        [texts.reviewNote, contract.notes],
      ]}
      papers={[
        scan?.file_id != null && { name: texts.scan, fileId: scan.file_id },
        original !== null && {
          name: texts.original,
          key: ['contract', id, updated_at],
          read: () => registry.GET('/contracts/{id}/original', { params, parseAs: 'blob' }),
        },
      ]}
      decision={{
        choices: item?.kind === 'contract_ended' ? ['seen'] : contract.status === 'pending' ? ['confirm', 'reject'] : [],
        templates: texts.contractNotes,
        decide: (decision, reason) => {
          if (decision === 'seen') return registry.POST('/admin/contracts/{id}/seen', { params });
          const body = decision === 'confirm' ? { decision, updated_at } : { decision: 'reject' as const, reason, updated_at };
          return registry.POST('/admin/contracts/{id}/review', { params, body });
        },
      }}
      onDecided={onDecided}
      related={[
        { kind: 'event', id: contract.event_id },
        previous && { kind: 'contract', id: previous.id, name: previous.number, label: texts.previous },
        next !== null && { kind: 'contract', id: next, label: texts.next },
      ]}
      process={contract.process}
      timeline="/contracts/{id}/timeline"
    />
  );
}
