import { useSuspenseQuery } from '@tanstack/react-query';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { Empty } from '../../shared/page.tsx';
import { Paper } from '../../shared/paper.tsx';
import { read } from '../../shared/queries.ts';
import { RecordLink } from '../../shared/record-link.tsx';
import { registry } from '../../shared/registry.ts';
import { wordOf } from '../../shared/status.tsx';
import { decidedBody, reviewChoices } from './choices.ts';
import { competitionTexts } from './competition-texts.ts';
import { RecordLayout } from './layout.tsx';
import type { RecordProps } from './record.tsx';
import { recordTexts } from './texts.ts';

/** A bulletin, a scheme or another paper of a competition. The API lists them by their competition, which the queue names. */
export function AdditionalDocumentRecord({ item, ...props }: RecordProps) {
  const own = useTexts(competitionTexts);
  return item?.event_id === undefined ? <Empty>{own.fromEvent}</Empty> : <OfEvent {...props} eventId={item.event_id} />;
}

function OfEvent({ id, eventId, onDecided }: RecordProps & { eventId: number }) {
  const { words, moment } = useLanguage();
  const texts = useTexts(recordTexts);
  const own = useTexts(competitionTexts);
  const { data: documents } = useSuspenseQuery(
    read('/events/{id}/additional-documents', { params: { path: { id: eventId }, query: { limit: 100 } } }),
  ).data;
  const document = documents.find(({ document_id: listed }) => listed === id);
  if (document === undefined) return <Empty>{words.problems.codes.not_found}</Empty>;
  return (
    <RecordLayout
      kind="additional_document"
      id={id}
      title={document.title}
      status={document.status}
      facts={[
        [texts.status, wordOf(document.status, words.statuses)],
        [texts.type, own.documentKinds[document.kind]],
        [texts.submittedAt, moment(document.created_at)],
        [texts.file, document.file_id.slice(0, 8)],
        [texts.reviewNote, document.review_note],
      ]}
      paper={<Paper source={{ fileId: document.file_id }} title={document.title} />}
      decision={{
        choices: document.status === 'pending' ? reviewChoices : [],
        templates: own.reviewNotes,
        decide: (decision, note) =>
          registry.POST('/admin/review', {
            body: { kind: 'additional_document', id, updated_at: document.updated_at, ...decidedBody(decision, note) },
          }),
      }}
      onDecided={onDecided}
      related={[[words.kinds.event, <RecordLink key="event" kind="event" id={eventId} />]]}
    />
  );
}
