import { Group, Modal, Text } from '@mantine/core';
import type { components } from '../../../../client/src/index.ts';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { Facts } from '../../shared/page.tsx';
import { RecordLink } from '../../shared/record-link.tsx';
import { auditTexts } from './texts.ts';

export type AuditEvent = components['schemas']['AuditEvent'];

/** Who acted, and for whom when an administrator acted for a person. */
export function Actors({ event }: { event: AuditEvent }) {
  const { texts } = useTexts(auditTexts);
  const { actor_id: id, actor_name: name, impersonated_user_id: otherId, impersonated_user_name: otherName } = event;
  return (
    <Group gap={4} component="span">
      {id === null ? texts.noAccount : <RecordLink kind="user" id={id} name={name} />}
      {otherId !== null && (
        <>
          <Text span size="sm">
            {texts.actingFor}
          </Text>
          <RecordLink kind="user" id={otherId} name={otherName} />
        </>
      )}
    </Group>
  );
}

/** The data of an event as a person reads it: its facts with their names. */
export function useFactsOf(): (data: object) => [name: string, value: string][] {
  const { words, money } = useLanguage();
  const textOf = (name: string, value: unknown): string => {
    if (Array.isArray(value)) return value.map((each) => textOf(name, each)).join(', ');
    if (typeof value === 'object' && value !== null) return lineOf(factsOf(value));
    if (typeof value === 'boolean') return value ? words.yes : words.no;
    if (typeof value === 'number' && name.endsWith('_minor')) return money(value);
    if (value === null) return words.none;
    return typeof value === 'string' ? value : JSON.stringify(value);
  };
  const factsOf = (data: object) =>
    Object.entries(data).map(([name, value]): [string, string] => [name.replace(/_minor$/, '').replaceAll('_', ' '), textOf(name, value)]);
  return factsOf;
}

/** Facts in one line. */
export function lineOf(facts: readonly [name: string, value: string][]): string {
  return facts.map((fact) => fact.join(': ')).join('; ');
}

/** All of one event. */
export function EventDialog({ event, onClose }: { event: AuditEvent; onClose(): void }) {
  const { words, moment, texts } = useTexts(auditTexts);
  const factsOf = useFactsOf();
  const { action, at, subject, ip, request_id: requestId, data } = event;
  return (
    <Modal opened onClose={onClose} size="lg" title={action} closeButtonProps={{ 'aria-label': words.close }}>
      <Facts
        facts={[
          [words.at, moment(at)],
          [words.actor, <Actors key="actors" event={event} />],
          [texts.record, <RecordLink key="record" kind={subject.kind} id={subject.id} />],
          [texts.ip, ip],
          [words.problems.requestId, requestId],
          ...factsOf(data),
        ]}
      />
    </Modal>
  );
}
