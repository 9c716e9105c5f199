import { Button, SimpleGrid, Textarea } from '@mantine/core';
import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { components } from '../../../../client/src/index.ts';
import { FormDialog } from '../../shared/dialog.tsx';
import { DownloadButton } from '../../shared/download.tsx';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { Section } from '../../shared/page.tsx';
import { Paper } from '../../shared/paper.tsx';
import { read } from '../../shared/queries.ts';
import { RecordLink } from '../../shared/record-link.tsx';
import { registry } from '../../shared/registry.ts';
import { Status, wordOf } from '../../shared/status.tsx';
import { DataTable } from '../../shared/table.tsx';
import { decidedBody, reviewChoices } from './choices.ts';
import { competitionTexts } from './competition-texts.ts';
import { useReasons } from './eligibility.ts';
import { RecordLayout, relatedRecord } from './layout.tsx';
import type { RecordProps } from './record.tsx';
import { recordTexts } from './texts.ts';

type Event = components['schemas']['Event'];

const stages = ['agreement', 'details', 'regulations', 'results'] as const;
/** A competition ends with one of these; nothing is left to cancel. */
const over: ReadonlySet<Event['status']> = new Set(['completed', 'cancelled']);

/** A competition: the stage that waits with its file, and all that belongs to it. */
export function EventRecord({ id, item, onDecided }: RecordProps) {
  const { words, day, moment } = useLanguage();
  const texts = useTexts(recordTexts);
  const own = useTexts(competitionTexts);
  const params = { path: { id } };
  const { data: event } = useSuspenseQuery(read('/events/{id}', { params })).data;
  const contracts = useQuery(read('/contracts', { params: { query: { event_id: id } } })).data?.data ?? [];
  const additional = useQuery(read('/events/{id}/additional-documents', { params })).data?.data ?? [];
  const waiting =
    stages.find((name) => name === item?.stage && event.stages[name].status === 'submitted') ??
    stages.find((name) => event.stages[name].status === 'submitted');
  const stage = waiting === undefined ? null : event.stages[waiting];
  const statusOf = (status: string) => wordOf(status, { ...words.statuses, ...own.stageStatuses });
  return (
    <RecordLayout
      kind={waiting === undefined ? 'event' : 'event_stage'}
      id={id}
      title={waiting === undefined ? event.title : `${own.stageNames[waiting]}: ${event.title}`}
      status={event.status}
      flags={[
        ...(event.agreement_differs.length > 0 ? [texts.flags.agreement_differs] : []),
        ...(stage?.flags ?? []).map((flag) => texts.flags[flag]),
      ]}
      facts={[
        [texts.status, wordOf(event.status, words.statuses)],
        [own.location, event.location],
        [own.startsAt, moment(event.starts_at)],
        [own.endsAt, moment(event.ends_at)],
        [own.reserveAt, event.reserve_at && moment(event.reserve_at)],
        [own.publishedAt, event.published_at && moment(event.published_at)],
        [own.cancelReason, event.cancel_reason],
        ...stages.map((name) => [own.stageNames[name], statusOf(event.stages[name].status)] as const),
      ]}
      paper={stage?.file_id ? <Paper source={{ fileId: stage.file_id }} title={event.title} /> : undefined}
      actions={over.has(event.status) ? undefined : <CancelEvent id={id} />}
      decision={{
        choices: waiting === undefined ? [] : reviewChoices,
        templates: own.reviewNotes,
        decide: (decision, note) =>
          registry.POST('/admin/review', {
            body: {
              kind: 'event_stage',
              id,
              stage: waiting ?? 'agreement',
              ...(stage !== null && { updated_at: stage.updated_at }),
              ...decidedBody(decision, note),
            },
          }),
      }}
      onDecided={onDecided}
      related={[
        [words.kinds.profile, <RecordLink key="profile" kind="profile" id={event.profile_id} />],
        ...(event.fee === null
          ? []
          : [
              [
                own.fee,
                <RecordLink key="fee" kind="application" id={event.fee.application_id} name={wordOf(event.fee.status, words.statuses)} />,
              ] as const,
            ]),
        ...contracts.map(({ id: contract, status }) => relatedRecord('contract', contract, status, words)),
      ]}
      process={event.process}
      timeline="/events/{id}/timeline"
    >
      <Section title={own.stages}>
        <DataTable
          label={own.stages}
          rows={stages}
          keyOf={(name) => name}
          empty={null}
          columns={[
            { title: own.stage, cell: (name) => own.stageNames[name], isMain: true },
            { title: texts.status, cell: (name) => statusOf(event.stages[name].status) },
            { title: own.deadline, cell: (name) => day(event.stages[name].deadline.slice(0, 10)) },
            { title: texts.reviewNote, cell: (name) => event.stages[name].review_note },
          ]}
        />
      </Section>
      {additional.length > 0 && (
        <Section title={own.additional}>
          <DataTable
            label={own.additional}
            rows={additional}
            keyOf={({ document_id: document }) => document}
            empty={null}
            columns={[
              { title: own.name, cell: ({ title }) => title, isMain: true },
              { title: texts.type, cell: ({ kind }) => own.documentKinds[kind] },
              { title: texts.status, cell: ({ status }) => <Status value={status} /> },
            ]}
          />
        </Section>
      )}
      <SimpleGrid cols={1}>
        <Registrations eventId={id} />
        <Participants eventId={id} />
      </SimpleGrid>
    </RecordLayout>
  );
}

function CancelEvent({ id }: { id: number }) {
  const { words } = useLanguage();
  const own = useTexts(competitionTexts);
  const client = useQueryClient();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setIsOpen(true)}>
        {own.cancelEvent}
      </Button>
      {isOpen && (
        <FormDialog
          title={own.cancelEvent}
          submit={own.cancelEvent}
          color="red.9"
          send={({ reason = '' }) => registry.POST('/events/{id}/cancel', { params: { path: { id } }, body: { reason } })}
          onSent={() => void client.invalidateQueries({ queryKey: ['/events/{id}'] })}
          onClose={() => setIsOpen(false)}
        >
          <Textarea name="reason" label={words.reason} required minLength={5} maxLength={3000} autosize minRows={2} />
        </FormDialog>
      )}
    </>
  );
}

function Registrations({ eventId }: { eventId: number }) {
  const texts = useTexts(recordTexts);
  const own = useTexts(competitionTexts);
  const params = { path: { id: eventId } };
  const { data } = useQuery(read('/events/{id}/registrations', { params: { ...params, query: { limit: 50 } } }));
  return (
    <Section
      title={own.registrations}
      actions={
        <DownloadButton
          name={`registrations-${eventId}.xlsx`}
          read={() => registry.GET('/events/{id}/registrations/export', { params, parseAs: 'blob' })}
        >
          {own.exportRegistrations}
        </DownloadButton>
      }
    >
      <DataTable
        label={own.registrations}
        rows={data?.data ?? []}
        keyOf={({ id }) => id}
        empty={own.noRegistrations}
        columns={[
          { title: own.name, cell: ({ id, name }) => <RecordLink kind="registration" id={id} name={name} />, isMain: true },
          { title: own.class, cell: (registration) => registration.class },
          { title: own.startNumber, cell: ({ start_number: number }) => number, align: 'right' },
          { title: texts.status, cell: ({ status }) => <Status value={status} /> },
        ]}
      />
    </Section>
  );
}

function Participants({ eventId }: { eventId: number }) {
  const own = useTexts(competitionTexts);
  const reasonsOf = useReasons();
  const { data } = useQuery(read('/events/{id}/participants', { params: { path: { id: eventId }, query: { limit: 50 } } }));
  return (
    <Section title={own.participants}>
      <DataTable
        label={own.participants}
        rows={data?.data ?? []}
        keyOf={({ application_id: application }) => application}
        empty={own.noParticipants}
        columns={[
          {
            title: own.name,
            cell: ({ name, profile_id: profile }) => <RecordLink kind="profile" id={profile} name={name} />,
            isMain: true,
          },
          { title: own.place, cell: ({ place }) => place, align: 'right' },
          { title: own.result, cell: ({ result }) => result },
          { title: own.eligibility, cell: ({ eligibility }) => reasonsOf(eligibility) },
        ]}
      />
    </Section>
  );
}
