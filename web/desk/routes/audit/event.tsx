import { Button, CopyButton, Group, Modal, Text } from '@mantine/core';
import { Fragment } from 'react';
import type { components } from '../../../../client/src/index.ts';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { Facts } from '../../shared/page.tsx';
import { RecordLink } from '../../shared/record-link.tsx';
import { TextLink } from '../../shared/text-link.tsx';
import { auditTexts } from './texts.ts';

export type AuditEvent = components['schemas']['AuditEvent'];

/** Who acted, and for whom when an administrator acted for a person. */
export function Actors({ event }: { event: AuditEvent }) {
  const texts = useTexts(auditTexts);
  const { actor_id: id, actor_name: name, impersonated_user_id: otherId, impersonated_user_name: otherName } = event;
  return (
    <Group gap={4} component="span">
      {id === null ? texts.nobody : <RecordLink kind="user" id={id} name={name} />}
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

/** Copies the id of a request. @param isShort shows its beginning, for a row */
export function RequestId({ id, isShort = false }: { id: string; isShort?: boolean }) {
  const { words } = useLanguage();
  return (
    <CopyButton value={id}>
      {({ copied, copy }) => (
        <Button size="compact-xs" variant="default" onClick={copy} title={words.problems.copy}>
          {copied ? words.problems.copied : isShort ? id.slice(0, 8) : words.problems.copy}
        </Button>
      )}
    </CopyButton>
  );
}

/** The facts of an event with their names, as a person reads them. */
export function useDataOf(): (event: AuditEvent) => [name: string, value: string][] {
  const { words, money } = useLanguage();
  const textOf = (name: string, value: unknown): string => {
    if (Array.isArray(value)) return value.map((each) => textOf(name, each)).join(', ');
    if (typeof value === 'object' && value !== null)
      return pairsOf(value)
        .map((pair) => pair.join(': '))
        .join('; ');
    if (typeof value === 'boolean') return value ? words.yes : words.no;
    if (typeof value === 'number' && name.endsWith('_minor')) return money(value);
    if (value === null) return words.none;
    return typeof value === 'string' ? value : JSON.stringify(value);
  };
  const pairsOf = (data: object) =>
    Object.entries(data).map(([name, value]): [string, string] => [name.replace(/_minor$/, '').replaceAll('_', ' '), textOf(name, value)]);
  return ({ data }) => pairsOf(data);
}

/** All of one event. */
export function EventDialog({ event, onClose }: { event: AuditEvent; onClose(): void }) {
  const { words, moment } = useLanguage();
  const texts = useTexts(auditTexts);
  const dataOf = useDataOf();
  const { action, at, subject, ip, request_id: requestId } = event;
  return (
    <Modal opened onClose={onClose} size="lg" title={action} closeButtonProps={{ 'aria-label': words.close }}>
      <Facts
        facts={[
          [words.at, moment(at)],
          [words.actor, <Actors key="actors" event={event} />],
          [texts.columns.record, <RecordLink key="record" kind={subject.kind} id={subject.id} />],
          [texts.columns.ip, ip],
          [
            words.problems.requestId,
            <Fragment key="request">
              {requestId} <RequestId id={requestId} />
            </Fragment>,
          ],
          ...dataOf(event),
        ]}
      />
      <TextLink to="/audit" search={{ request_id: requestId }} onClick={onClose}>
        {texts.sameRequest}
      </TextLink>
    </Modal>
  );
}
