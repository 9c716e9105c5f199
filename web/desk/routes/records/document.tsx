import { useSuspenseQuery } from '@tanstack/react-query';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { Paper } from '../../shared/paper.tsx';
import { read } from '../../shared/queries.ts';
import { RecordLink } from '../../shared/record-link.tsx';
import { registry } from '../../shared/registry.ts';
import { wordOf } from '../../shared/status.tsx';
import { CorrectDocument } from './correct-document.tsx';
import { decidedBody, reviewChoices } from './choices.ts';
import { RecordLayout, relatedRecord } from './layout.tsx';
import type { RecordProps } from './record.tsx';
import { recordTexts } from './texts.ts';

/** A paper of a profile: what is written on it beside its scan. */
export function DocumentRecord({ id, onDecided }: RecordProps) {
  const { words, day } = useLanguage();
  const texts = useTexts(recordTexts);
  const { data: document } = useSuspenseQuery(read('/admin/records/document/{id}', { params: { path: { id } } })).data;
  const title = `${wordOf(document.type, words.documentTypes)}: ${document.profile.name}`;
  return (
    <RecordLayout
      kind="document"
      id={id}
      title={title}
      status={document.status}
      facts={[
        [texts.status, wordOf(document.status, words.statuses)],
        [texts.type, wordOf(document.type, words.documentTypes)],
        [texts.number, document.number],
        [texts.country, document.country],
        [texts.issuedAt, document.issued_at && day(document.issued_at)],
        [texts.expiresAt, document.expires_at && day(document.expires_at)],
        [texts.file, document.file_id.slice(0, 8)],
        [texts.reviewNote, document.review_note],
      ]}
      paper={<Paper source={{ fileId: document.file_id }} title={title} />}
      actions={<CorrectDocument document={document} />}
      decision={{
        choices: document.status === 'pending' ? reviewChoices : [],
        templates: texts.documentNotes,
        decide: (decision, note) =>
          registry.POST('/admin/review', {
            body: { kind: 'document', id, updated_at: document.updated_at, ...decidedBody(decision, note) },
          }),
      }}
      onDecided={onDecided}
      related={[
        [words.kinds.user, <RecordLink key="owner" kind="user" id={document.owner.id} name={document.owner.name} />],
        [words.kinds.profile, <RecordLink key="profile" kind="profile" id={document.profile_id} name={document.profile.name} />],
        ...document.applications.map(({ id: application, status }) => relatedRecord('application', application, status, words)),
        ...document.registrations.map(({ id: registration, status }) => relatedRecord('registration', registration, status, words)),
      ]}
      history={document.history}
      process={document.process}
      timeline="/documents/{id}/timeline"
    />
  );
}
