import { useSuspenseQuery } from '@tanstack/react-query';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { read } from '../../shared/queries.ts';
import { RecordLink } from '../../shared/record-link.tsx';
import { wordOf } from '../../shared/status.tsx';
import { competitionTexts } from './competition-texts.ts';
import { useReasons } from './eligibility.ts';
import { RecordLayout } from './layout.tsx';
import type { RecordProps } from './record.tsx';
import { recordTexts } from './texts.ts';

/** A registration for a competition, which its organizer decides. */
export function RegistrationRecord({ id }: RecordProps) {
  const { words, moment } = useLanguage();
  const texts = useTexts(recordTexts);
  const own = useTexts(competitionTexts);
  const reasonsOf = useReasons();
  const { data: registration } = useSuspenseQuery(read('/event-registrations/{id}', { params: { path: { id } } })).data;
  return (
    <RecordLayout
      kind="registration"
      id={id}
      title={registration.name}
      status={registration.status}
      facts={[
        [texts.status, wordOf(registration.status, words.statuses)],
        [own.class, registration.class],
        [own.startNumber, registration.start_number],
        [own.vehicle, Object.values(registration.vehicle).join(' ')],
        [own.eligibility, reasonsOf(registration.eligibility)],
        [texts.submittedAt, registration.submitted_at && moment(registration.submitted_at)],
        [texts.reviewNote, registration.reason],
      ]}
      related={[
        [words.kinds.event, <RecordLink key="event" kind="event" id={registration.event_id} />],
        [words.kinds.profile, <RecordLink key="profile" kind="profile" id={registration.profile_id} name={registration.name} />],
        ...registration.application_ids.map(
          (application) => [words.kinds.application, <RecordLink key={application} kind="application" id={application} />] as const,
        ),
        ...registration.crew.map(
          ({ role, registration_id: other }) =>
            [`${own.crew}: ${role}`, <RecordLink key={other} kind="registration" id={other} />] as const,
        ),
        ...registration.documents.map(
          ({ document_id: document, type, status }) =>
            [
              wordOf(type, words.documentTypes),
              <RecordLink key={document} kind="document" id={document} name={wordOf(status, words.statuses)} />,
            ] as const,
        ),
      ]}
      process={registration.process}
      timeline="/event-registrations/{id}/timeline"
    />
  );
}
