import { Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { read } from '../../shared/queries.ts';
import { RecordLink } from '../../shared/record-link.tsx';
import { registry } from '../../shared/registry.ts';
import { wordOf } from '../../shared/status.tsx';
import { RecordLayout } from './layout.tsx';
import type { RecordProps } from './record.tsx';
import { settlementTexts } from './settlement-texts.ts';
import { recordTexts } from './texts.ts';

/** Something that the registry cannot settle by itself. */
export function IncidentRecord({ id, onDecided }: RecordProps) {
  const { words, money, moment } = useLanguage();
  const texts = useTexts(recordTexts);
  const own = useTexts(settlementTexts);
  const params = { path: { id } };
  const { data: incident } = useSuspenseQuery(read('/admin/incidents/{id}', { params })).data;
  const isOpen = incident.resolved_at === null;
  const valueOf = (name: string, value: unknown) =>
    name.endsWith('_minor') && typeof value === 'number' ? money(value) : Array.isArray(value) ? value.join(', ') : JSON.stringify(value);
  return (
    <RecordLayout
      kind="incident"
      id={id}
      title={own.incidents[incident.kind]}
      status={isOpen ? 'unresolved' : 'over'}
      facts={[
        [texts.status, wordOf(isOpen ? 'unresolved' : 'over', words.statuses)],
        [own.createdAt, moment(incident.at)],
        ...Object.entries(incident.details).map(([name, value]) => [wordOf(name, own.details), valueOf(name, value)] as const),
        [own.resolved, incident.resolved_at && moment(incident.resolved_at)],
        [own.resolution, incident.resolution],
        [own.correction, incident.transaction_id === null ? null : String(incident.transaction_id)],
      ]}
      decision={{
        choices: isOpen ? [{ decision: 'resolve', needsNote: true }] : [],
        fields: <Text size="sm">{own.incidentHint(id)}</Text>,
        decide: (_decision, note) => registry.POST('/admin/incidents/{id}/resolve', { params, body: { reason: note } }),
      }}
      onDecided={onDecided}
      related={[
        [wordOf(incident.subject.kind, words.kinds), <RecordLink key="subject" kind={incident.subject.kind} id={incident.subject.id} />],
      ]}
    />
  );
}
