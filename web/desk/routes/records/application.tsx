import { Badge, Group, Table, Tabs, Text, TextInput } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { components } from '../../../../client/src/index.ts';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { Section } from '../../shared/page.tsx';
import { Paper } from '../../shared/paper.tsx';
import { read } from '../../shared/queries.ts';
import { RecordLink } from '../../shared/record-link.tsx';
import { registry } from '../../shared/registry.ts';
import { wordOf } from '../../shared/status.tsx';
import { decidedBody, reviewChoices } from './choices.ts';
import { RecordLayout } from './layout.tsx';
import type { RecordProps } from './record.tsx';
import { recordTexts } from './texts.ts';

type Application = components['schemas']['ApplicationRecord'];

/** An application for a certificate or a licence: its papers beside the conditions of the approval. */
export function ApplicationRecord({ id, onDecided }: RecordProps) {
  const { words, language, money, day, moment } = useLanguage();
  const texts = useTexts(recordTexts);
  const { data: application } = useSuspenseQuery(read('/admin/records/application/{id}', { params: { path: { id } } })).data;
  const { certificate_review: review, profile, service } = application;
  const [dates, setDates] = useState({ from: review.valid_from, until: review.valid_until });
  const isIssuing = review.available_actions.includes('approve');
  return (
    <RecordLayout
      kind="application"
      id={id}
      title={`${service.title[language]}: ${profile.name}`}
      status={application.status}
      flags={profile.duplicate_iin ? [texts.flags.duplicate_iin] : []}
      facts={[
        [texts.status, wordOf(application.status, words.statuses)],
        [texts.year, String(application.year)],
        [texts.discipline, application.discipline?.title[language]],
        [texts.team, application.data.team],
        [texts.territory, application.data.insurance_territory],
        [texts.amount, money(application.amount_minor)],
        [texts.paid, application.paid_at === null ? (application.paid ? words.yes : words.no) : moment(application.paid_at)],
        [texts.certificateNumber, application.number],
        [texts.validFrom, application.valid_from && day(application.valid_from)],
        [texts.validUntil, application.valid_until && day(application.valid_until)],
        [texts.submittedAt, application.submitted_at && moment(application.submitted_at)],
        [
          texts.documents,
          application.documents
            .map(({ type, status }) => `${wordOf(type, words.documentTypes)} (${wordOf(status, words.statuses)})`)
            .join(', '),
        ],
        [texts.reviewNote, application.review_note],
      ]}
      paper={<Papers application={application} />}
      decision={{
        choices: reviewChoices
          .filter(({ decision }) => review.available_actions.some((action) => action === decision))
          .map((choice) =>
            choice.decision === 'approve' && !review.can_approve ? { ...choice, prevented: texts.conditionsUnmet } : choice,
          ),
        templates: texts.applicationNotes,
        fields: isIssuing && (
          <Group grow>
            <TextInput
              type="date"
              label={texts.validFrom}
              value={dates.from}
              onChange={({ currentTarget }) => setDates({ ...dates, from: currentTarget.value })}
            />
            <TextInput
              type="date"
              label={texts.validUntil}
              value={dates.until}
              onChange={({ currentTarget }) => setDates({ ...dates, until: currentTarget.value })}
            />
          </Group>
        ),
        decide: (decision, note) => {
          const decided = decidedBody(decision, note);
          const validity = { valid_from: dates.from || null, valid_until: dates.until || null };
          return registry.POST('/admin/review', {
            body: {
              kind: 'application',
              id,
              revision: application.revision,
              ...(decided.decision === 'approve' ? { ...decided, ...validity } : decided),
            },
          });
        },
      }}
      onDecided={onDecided}
      related={[
        [words.kinds.user, <RecordLink key="owner" kind="user" id={application.owner.id} name={application.owner.name} />],
        [words.kinds.profile, <RecordLink key="profile" kind="profile" id={application.profile_id} name={profile.name} />],
        ...application.documents.map(
          (document) =>
            [
              wordOf(document.type, words.documentTypes),
              <RecordLink
                key={document.id}
                kind="document"
                id={document.id}
                name={document.number ?? wordOf(document.status, words.statuses)}
              />,
            ] as const,
        ),
      ]}
      history={application.history}
      process={application.process}
      timeline="/applications/{id}/timeline"
    >
      <Readiness rules={review.conditions} />
    </RecordLayout>
  );
}

/** Photo and documents, one beside the form. */
function Papers({ application: { profile, documents } }: { application: Application }) {
  const { words } = useLanguage();
  const texts = useTexts(recordTexts);
  const papers = [
    ...(profile.photo_id === null ? [] : [{ fileId: profile.photo_id, name: words.kinds.photo }]),
    ...documents.map(({ file_id: fileId, type }) => ({ fileId, name: wordOf(type, words.documentTypes) })),
  ];
  const [first] = papers;
  if (first === undefined) return <Text size="sm">{texts.noPapers}</Text>;
  return (
    <Tabs defaultValue={first.fileId} keepMounted={false}>
      <Tabs.List mb="xs">
        {papers.map(({ fileId, name }) => (
          <Tabs.Tab key={fileId} value={fileId}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {papers.map(({ fileId, name }) => (
        <Tabs.Panel key={fileId} value={fileId}>
          <Paper source={{ fileId }} title={`${name}: ${profile.name}`} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

/** The conditions with whose turn it is. */
function Readiness({ rules }: { rules: readonly components['schemas']['ReadinessRule'][] }) {
  const { words } = useLanguage();
  const texts = useTexts(recordTexts);
  const nameOf = (rule: string) =>
    rule.startsWith('document:')
      ? texts.otherDocument(rule.slice('document:'.length))
      : wordOf(rule, { ...words.documentTypes, ...texts.rules });
  return (
    <Section title={texts.readiness}>
      <Table>
        <Table.Tbody>
          {rules.map(({ rule, ok, waiting_for: party }) => (
            <Table.Tr key={rule}>
              <Table.Td>{nameOf(rule)}</Table.Td>
              <Table.Td ta="right">
                <Badge variant="dot" color={ok ? 'green' : 'orange'} tt="none" fw={500}>
                  {ok ? texts.met : party === null ? texts.unmet : texts.waitsFor(wordOf(party, words.parties))}
                </Badge>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Section>
  );
}
