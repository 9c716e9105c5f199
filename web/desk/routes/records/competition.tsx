import { Textarea } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import type { ComponentProps, ReactNode } from 'react';
import type { components } from '../../../../client/src/index.ts';
import { DialogButton } from '../../shared/action.tsx';
import { DownloadButton } from '../../shared/download.tsx';
import { Empty, Section } from '../../shared/page.tsx';
import { read } from '../../shared/queries.ts';
import { RecordLink } from '../../shared/record-link.tsx';
import { registry } from '../../shared/registry.ts';
import { Status } from '../../shared/status.tsx';
import { DataTable } from '../../shared/table.tsx';
import { reviewOf } from './decision.tsx';
import { RecordLayout } from './layout.tsx';
import type { RecordProps } from './record.tsx';
import { useRecordTexts } from './texts.ts';

const stages = ['agreement', 'details', 'regulations', 'results'] as const;

/** A competition: the stage that waits with its file, and all that belongs to it. */
export function EventRecord({ id, item, onDecided }: RecordProps) {
  const { words, texts, day, moment, statusOf } = useRecordTexts();
  const reasonsOf = useReasons();
  const params = { path: { id } };
  const { data: event } = useSuspenseQuery(read('/events/{id}', { params })).data;
  const contracts = useQuery(read('/contracts', { params: { query: { event_id: id } } })).data?.data ?? [];
  const additional = useQuery(read('/events/{id}/additional-documents', { params })).data?.data ?? [];
  const registrations = useQuery(read('/events/{id}/registrations', { params: { ...params, query: { limit: 50 } } })).data?.data ?? [];
  const participants = useQuery(read('/events/{id}/participants', { params: { ...params, query: { limit: 50 } } })).data?.data ?? [];
  const open = useQuery({ ...read('/events/public/{id}', { params }), enabled: event.published_at !== null }).data?.data;
  const submitted = stages.filter((name) => event.stages[name].status === 'submitted');
  const waiting = submitted.find((name) => name === item?.stage) ?? submitted[0];
  const stage = waiting && event.stages[waiting];
  const isOver = event.status === 'completed' || event.status === 'cancelled';
  return (
    <RecordLayout
      kind={waiting === undefined ? 'event' : 'event_stage'}
      id={id}
      title={waiting === undefined ? event.title : `${texts.stageNames[waiting]}: ${event.title}`}
      status={event.status}
      flags={[
        ...(event.agreement_differs.length > 0 ? [texts.flags.agreement_differs] : []),
        ...(stage?.flags ?? []).map((flag) => texts.flags[flag]),
      ]}
      facts={[
        [texts.place, event.location],
        [texts.startsAt, moment(event.starts_at)],
        [texts.endsAt, moment(event.ends_at)],
        [texts.reserveAt, event.reserve_at && moment(event.reserve_at)],
        [words.statuses.published, event.published_at && moment(event.published_at)],
        [words.reason, event.cancel_reason],
        [texts.places, open?.places.map((one) => `${one.class}: ${one.taken}/${one.capacity ?? '∞'} +${one.waiting}`).join(' · ')],
        ...stages.map((name) => [texts.stageNames[name], statusOf(event.stages[name].status)] as const),
      ]}
      papers={[stage?.file_id != null && { name: words.kinds.file, fileId: stage.file_id }]}
      actions={
        !isOver && (
          <DialogButton
            title={texts.cancelEvent}
            submit={texts.cancelEvent}
            color="red.9"
            send={({ reason = '' }) => registry.POST('/events/{id}/cancel', { params, body: { reason } })}
          >
            <Textarea name="reason" label={words.reason} required minLength={5} maxLength={3000} autosize minRows={2} />
          </DialogButton>
        )
      }
      decision={reviewOf(
        { kind: 'event_stage', id, stage: waiting, updated_at: stage?.updated_at },
        waiting !== undefined,
        texts.competitionNotes,
      )}
      onDecided={onDecided}
      related={[
        { kind: 'profile', id: event.profile_id },
        event.fee && { kind: 'application', id: event.fee.application_id, status: event.fee.status, label: texts.fee },
        ...contracts.map(({ id: contract, status }) => ({ kind: 'contract', id: contract, status })),
      ]}
      process={event.process}
      timeline="/events/{id}/timeline"
    >
      <Listing
        label={texts.stages}
        rows={stages}
        keyOf={(name) => name}
        columns={[
          { title: texts.stages, cell: (name) => texts.stageNames[name], isMain: true },
          { title: texts.status, cell: (name) => statusOf(event.stages[name].status) },
          { title: texts.deadline, cell: (name) => day(event.stages[name].deadline.slice(0, 10)) },
          { title: texts.reviewNote, cell: (name) => event.stages[name].review_note },
        ]}
      />
      <Listing
        label={texts.additional}
        rows={additional}
        keyOf={({ document_id: document }) => document}
        columns={[
          { title: texts.name, cell: ({ title }) => title, isMain: true },
          { title: texts.type, cell: ({ kind }) => texts.documentKinds[kind] },
          { title: texts.status, cell: ({ status }) => <Status value={status} /> },
        ]}
      />
      <Listing
        label={texts.registrations}
        actions={
          <DownloadButton
            name={`registrations-${id}.xlsx`}
            read={() => registry.GET('/events/{id}/registrations/export', { params, parseAs: 'blob' })}
          >
            {texts.exportRegistrations}
          </DownloadButton>
        }
        rows={registrations}
        keyOf={({ id: registration }) => registration}
        columns={[
          { title: texts.name, cell: (row) => <RecordLink kind="registration" id={row.id} name={row.name} />, isMain: true },
          { title: texts.class, cell: (row) => row.class },
          { title: texts.startNumber, cell: (row) => row.start_number, align: 'right' },
          { title: texts.status, cell: ({ status }) => <Status value={status} /> },
        ]}
      />
      <Listing
        label={texts.participants}
        rows={participants}
        keyOf={({ application_id: application }) => application}
        columns={[
          { title: texts.name, cell: (row) => <RecordLink kind="profile" id={row.profile_id} name={row.name} />, isMain: true },
          { title: texts.place, cell: ({ place }) => place, align: 'right' },
          { title: texts.result, cell: ({ result }) => result },
          { title: texts.eligibility, cell: ({ eligibility }) => reasonsOf(eligibility) },
        ]}
      />
    </RecordLayout>
  );
}

function Listing<Row>({ actions, ...table }: Omit<ComponentProps<typeof DataTable<Row>>, 'empty'> & { actions?: ReactNode }) {
  const { words } = useRecordTexts();
  return (
    <Section title={table.label} actions={actions}>
      <DataTable {...table} empty={words.none} />
    </Section>
  );
}

/** A bulletin, a scheme or another paper of a competition. The API lists them by their competition, which the queue names. */
export function AdditionalDocumentRecord({ item, ...props }: RecordProps) {
  const { texts } = useRecordTexts();
  return item?.event_id === undefined ? <Empty>{texts.fromEvent}</Empty> : <AdditionalDocument {...props} eventId={item.event_id} />;
}

function AdditionalDocument({ id, eventId, onDecided }: RecordProps & { eventId: number }) {
  const { words, texts, moment } = useRecordTexts();
  const params = { path: { id: eventId }, query: { limit: 100 } };
  const { data: documents } = useSuspenseQuery(read('/events/{id}/additional-documents', { params })).data;
  const document = documents.find(({ document_id: listed }) => listed === id);
  if (document === undefined) return <Empty>{words.problems.codes.not_found}</Empty>;
  const { file_id: fileId, updated_at, status } = document;
  return (
    <RecordLayout
      kind="additional_document"
      id={id}
      title={document.title}
      status={status}
      facts={[
        [texts.type, texts.documentKinds[document.kind]],
        [words.at, moment(document.created_at)],
        [words.kinds.file, fileId.slice(0, 8)],
        [texts.reviewNote, document.review_note],
      ]}
      papers={[{ name: words.kinds.file, fileId }]}
      decision={reviewOf({ kind: 'additional_document', id, updated_at }, status === 'pending', texts.competitionNotes)}
      onDecided={onDecided}
      related={[{ kind: 'event', id: eventId }]}
    />
  );
}

/** A registration for a competition, which its organizer decides. */
export function RegistrationRecord({ id }: RecordProps) {
  const { words, texts, moment } = useRecordTexts();
  const reasonsOf = useReasons();
  const { data: registration } = useSuspenseQuery(read('/event-registrations/{id}', { params: { path: { id } } })).data;
  return (
    <RecordLayout
      kind="registration"
      id={id}
      title={registration.name}
      status={registration.status}
      facts={[
        [texts.class, registration.class],
        [texts.startNumber, registration.start_number],
        [texts.vehicle, Object.values(registration.vehicle).join(' ')],
        [texts.eligibility, reasonsOf(registration.eligibility)],
        [words.statuses.submitted, registration.submitted_at && moment(registration.submitted_at)],
        [texts.reviewNote, registration.reason],
      ]}
      related={[
        { kind: 'event', id: registration.event_id },
        { kind: 'profile', id: registration.profile_id, name: registration.name },
        ...registration.application_ids.map((application) => ({ kind: 'application', id: application })),
        ...registration.crew.map((member) => ({
          kind: 'registration',
          id: member.registration_id,
          label: `${texts.crew}: ${member.role}`,
        })),
        ...registration.documents.map((document) => ({ kind: 'document', ...document, id: document.document_id })),
      ]}
      process={registration.process}
      timeline="/event-registrations/{id}/timeline"
    />
  );
}

/** Says whether a person may take part, else why not. */
function useReasons(): (eligibility: components['schemas']['Eligibility']) => string {
  const { texts, day } = useRecordTexts();
  return ({ ok, reasons, past }) => {
    const all = [...reasons, ...past];
    if (all.length === 0) return ok ? texts.admitted : texts.notAdmitted;
    return all.map((reason) => `${texts.reasons[reason.code]} (${day(reason.day)})`).join(', ');
  };
}
