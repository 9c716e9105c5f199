import { Anchor, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { Section } from '../../shared/page.tsx';
import { read } from '../../shared/queries.ts';
import { registry } from '../../shared/registry.ts';
import { wordOf } from '../../shared/status.tsx';
import { RecordLayout } from './layout.tsx';
import type { RecordProps } from './record.tsx';
import { settlementTexts } from './settlement-texts.ts';
import { recordTexts } from './texts.ts';

/** A message of the contact form; it is answered by mail. */
export function ContactMessageRecord({ id, onDecided }: RecordProps) {
  const { words, moment } = useLanguage();
  const texts = useTexts(recordTexts);
  const own = useTexts(settlementTexts);
  const params = { path: { id } };
  const { data: message } = useSuspenseQuery(read('/admin/contact-messages/{id}', { params })).data;
  return (
    <RecordLayout
      kind="contact_message"
      id={id}
      title={message.name}
      status={message.status}
      facts={[
        [texts.status, wordOf(message.status, words.statuses)],
        [own.received, moment(message.created_at)],
        [own.answeredAt, message.answered_at && moment(message.answered_at)],
        [texts.reviewNote, message.note],
      ]}
      decision={{
        choices: message.status === 'new' ? [{ decision: 'answered', needsNote: false }] : [],
        decide: (_decision, note) => registry.POST('/admin/contact-messages/{id}/answered', { params, body: note === '' ? {} : { note } }),
      }}
      onDecided={onDecided}
      related={[
        [
          own.email,
          <Anchor key="email" size="sm" href={`mailto:${message.email}`}>
            {message.email}
          </Anchor>,
        ],
      ]}
    >
      <Section title={own.message}>
        <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {message.message}
        </Text>
      </Section>
    </RecordLayout>
  );
}
