import { useSuspenseQuery } from '@tanstack/react-query';
import { read } from '../../shared/queries.ts';
import { registry } from '../../shared/registry.ts';
import { wordOf } from '../../shared/status.tsx';
import { Correct, factsOf, type Field } from './correct.tsx';
import { reviewOf } from './decision.tsx';
import { RecordLayout } from './layout.tsx';
import type { RecordProps } from './record.tsx';
import { useRecordTexts } from './texts.ts';

const common = ['phone', 'city'] as const;
/** Fields of a profile's data in the order of its form. */
const fieldsOf = {
  athlete: ['last_name', 'first_name', 'middle_name', 'birth_date', 'gender', 'citizenship', 'iin', ...common, 'address', 'blood_group'],
  organizer: ['organization_name', 'bin', 'director_name', 'director_position', 'legal_address', ...common, 'email'],
} as const;

/** An athlete or an organizer: the data and, of an athlete, the photo, which are decided one by one. */
export function ProfileRecord({ id, item, onDecided }: RecordProps) {
  const { words, texts, day, statusOf } = useRecordTexts();
  const params = { path: { id } };
  const { data: profile } = useSuspenseQuery(read('/admin/records/profile/{id}', { params })).data;
  const { data: stored, updated_at, status, photo_status: photoStatus, photo_id: photoId } = profile;
  const waiting = (['profile', 'photo'] as const).filter((part) => (part === 'profile' ? status : photoStatus) === 'pending');
  // In the queue only the part that was opened is decided, also when another clerk has just decided it.
  const part = item === undefined ? waiting[0] : waiting.find((kind) => kind === item.kind);
  const isPhoto = (part ?? item?.kind) === 'photo';
  const kind = isPhoto ? 'photo' : 'profile';
  const fields: Field[] = fieldsOf[profile.kind].map((name) => ({
    name,
    label: texts.fields[name],
    ...(name === 'gender' && { choices: texts.genders }),
  }));
  return (
    <RecordLayout
      kind={kind}
      id={id}
      title={profile.name}
      status={isPhoto ? photoStatus : status}
      flags={profile.duplicate_iin ? [texts.flags.duplicate_iin] : []}
      facts={[
        isPhoto ? [words.kinds.profile, statusOf(status)] : [texts.photoStatus, profile.kind === 'athlete' ? statusOf(photoStatus) : null],
        ...factsOf(fields, stored, day),
        [texts.reviewNote, profile.review_note],
        [texts.photoReviewNote, profile.photo_review_note],
        [words.kinds.photo, photoId?.slice(0, 8)],
      ]}
      papers={[photoId !== null && { name: words.kinds.photo, fileId: photoId }]}
      actions={
        <Correct
          fields={fields}
          stored={stored}
          send={(data) => registry.PATCH('/admin/records/profile/{id}', { params, body: { data, updated_at } })}
        />
      }
      decision={reviewOf({ kind, id, updated_at }, part !== undefined, isPhoto ? texts.photoNotes : texts.profileNotes)}
      onDecided={onDecided}
      related={[
        { kind: 'user', ...profile.owner },
        ...profile.documents.map((document) => ({ kind: 'document', ...document })),
        ...profile.applications.map((application) => ({ kind: 'application', ...application })),
      ]}
      history={profile.history}
      process={profile.process}
    />
  );
}

/** A paper of a profile: what is written on it beside its scan. */
export function DocumentRecord({ id, onDecided }: RecordProps) {
  const { words, texts, day } = useRecordTexts();
  const params = { path: { id } };
  const { data: document } = useSuspenseQuery(read('/admin/records/document/{id}', { params })).data;
  const { file_id: fileId, updated_at, owner, profile } = document;
  const fields: Field[] = [
    { name: 'type', label: texts.type, choices: words.documentTypes },
    { name: 'number', label: texts.number },
    { name: 'country', label: texts.country },
    { name: 'issued_at', label: texts.issuedAt },
    { name: 'expires_at', label: texts.expiresAt, hint: texts.expiryHint },
  ];
  return (
    <RecordLayout
      kind="document"
      id={id}
      title={`${wordOf(document.type, words.documentTypes)}: ${profile.name}`}
      status={document.status}
      facts={[...factsOf(fields, document, day), [words.kinds.file, fileId.slice(0, 8)], [texts.reviewNote, document.review_note]]}
      papers={[{ name: words.kinds.file, fileId }]}
      actions={
        <Correct
          fields={fields}
          stored={document}
          send={(changed) => registry.PATCH('/admin/records/document/{id}', { params, body: { ...changed, updated_at } })}
        />
      }
      decision={reviewOf({ kind: 'document', id, updated_at }, document.status === 'pending', texts.documentNotes)}
      onDecided={onDecided}
      related={[
        { kind: 'user', ...owner },
        { kind: 'profile', id: document.profile_id, name: profile.name },
        ...document.applications.map((application) => ({ kind: 'application', ...application })),
        ...document.registrations.map((registration) => ({ kind: 'registration', ...registration })),
      ]}
      history={document.history}
      process={document.process}
      timeline="/documents/{id}/timeline"
    />
  );
}
