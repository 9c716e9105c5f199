import { Badge, Group, TextInput } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { components } from '../../../../client/src/index.ts';
import { Facts, Section } from '../../shared/page.tsx';
import { read } from '../../shared/queries.ts';
import { wordOf } from '../../shared/status.tsx';
import { reviewOf } from './decision.tsx';
import { RecordLayout } from './layout.tsx';
import type { RecordProps } from './record.tsx';
import { useRecordTexts } from './texts.ts';

const ends = ['valid_from', 'valid_until'] as const;

/** An application for a certificate or a licence: its papers beside the conditions of the approval. */
export function ApplicationRecord({ id, onDecided }: RecordProps) {
  const { words, texts, language, money, day, moment, statusOf } = useRecordTexts();
  const { data: application } = useSuspenseQuery(read('/admin/records/application/{id}', { params: { path: { id } } })).data;
  const { certificate_review: review, profile, service, documents, owner, revision } = application;
  const [dates, setDates] = useState({ valid_from: review.valid_from, valid_until: review.valid_until });
  const actions: readonly string[] = review.available_actions;
  const isIssuing = actions.includes('approve');
  const validity = { valid_from: dates.valid_from || null, valid_until: dates.valid_until || null };
  const decision = reviewOf({ kind: 'application', id, revision }, true, texts.applicationNotes, validity);
  const nameOf = ({ type }: { type: string }) => wordOf(type, words.documentTypes);
  return (
    <RecordLayout
      kind="application"
      id={id}
      title={`${service.title[language]}: ${profile.name}`}
      status={application.status}
      flags={profile.duplicate_iin ? [texts.flags.duplicate_iin] : []}
      facts={[
        [texts.year, String(application.year)],
        [texts.discipline, application.discipline?.title[language]],
        [texts.team, application.data.team],
        [texts.territory, application.data.insurance_territory],
        [texts.amount, money(application.amount_minor)],
        [words.statuses.paid, application.paid_at === null ? (application.paid ? words.yes : words.no) : moment(application.paid_at)],
        [texts.certificateNumber, application.number],
        ...ends.map((end) => [texts.validity[end], application[end] && day(application[end])] as const),
        [words.statuses.submitted, application.submitted_at && moment(application.submitted_at)],
        [texts.documents, documents.map((document) => `${nameOf(document)} (${statusOf(document.status)})`).join(', ')],
        [texts.reviewNote, application.review_note],
      ]}
      papers={[
        profile.photo_id !== null && { name: words.kinds.photo, fileId: profile.photo_id },
        ...documents.map((document) => ({ name: nameOf(document), fileId: document.file_id })),
      ]}
      decision={{
        ...decision,
        choices: decision.choices.filter((choice) => actions.includes(choice)),
        prevented: isIssuing && !review.can_approve ? texts.conditionsUnmet : undefined,
        fields: isIssuing && (
          <Group grow>
            {ends.map((end) => (
              <TextInput
                key={end}
                type="date"
                label={texts.validity[end]}
                value={dates[end]}
                onChange={({ currentTarget }) => setDates({ ...dates, [end]: currentTarget.value })}
              />
            ))}
          </Group>
        ),
      }}
      onDecided={onDecided}
      related={[
        { kind: 'user', ...owner },
        { kind: 'profile', id: application.profile_id, name: profile.name },
        ...documents.map((document) => ({ kind: 'document', ...document })),
      ]}
      history={application.history}
      process={application.process}
      timeline="/applications/{id}/timeline"
    >
      <Readiness rules={review.conditions} />
    </RecordLayout>
  );
}

/** The conditions with whose turn it is. */
function Readiness({ rules }: { rules: readonly components['schemas']['ReadinessRule'][] }) {
  const { words, texts } = useRecordTexts();
  const nameOf = (rule: string) => {
    const [kind, document] = rule.split(':');
    return kind === 'document' && document
      ? words.record(words.kinds.document, document)
      : wordOf(rule, { ...words.documentTypes, ...texts.rules });
  };
  return (
    <Section title={texts.readiness}>
      <Facts
        align="right"
        facts={rules.map(({ rule, ok, waiting_for: party }) => [
          nameOf(rule),
          <Badge variant="dot" color={ok ? 'green' : 'orange'} tt="none" fw={500}>
            {ok ? texts.met : party === null ? texts.unmet : texts.waitsFor(wordOf(party, words.parties))}
          </Badge>,
        ])}
      />
    </Section>
  );
}
