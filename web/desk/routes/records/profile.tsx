import { useSuspenseQuery } from '@tanstack/react-query';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { Paper } from '../../shared/paper.tsx';
import { read } from '../../shared/queries.ts';
import { RecordLink } from '../../shared/record-link.tsx';
import { registry } from '../../shared/registry.ts';
import { wordOf } from '../../shared/status.tsx';
import { decidedBody, reviewChoices } from './choices.ts';
import { CorrectProfile, profileFields } from './correct-profile.tsx';
import { RecordLayout, relatedRecord } from './layout.tsx';
import type { RecordProps } from './record.tsx';
import { recordTexts } from './texts.ts';

/** An athlete or an organizer: the data and, of an athlete, the photo, which are decided one by one. */
export function ProfileRecord({ id, item, onDecided }: RecordProps) {
  const { words, day } = useLanguage();
  const texts = useTexts(recordTexts);
  const { data: profile } = useSuspenseQuery(read('/admin/records/profile/{id}', { params: { path: { id } } })).data;
  const stored = profile.data as Record<string, string | undefined>;
  const waiting = (['profile', 'photo'] as const).filter((part) => profile[part === 'profile' ? 'status' : 'photo_status'] === 'pending');
  // In the queue only the part that was opened is decided, also when another clerk has just decided it.
  const part = item === undefined ? waiting[0] : waiting.find((kind) => kind === item.kind);
  const isPhoto = (part ?? item?.kind) === 'photo';
  const valueOf = (name: string) => {
    const value = stored[name];
    if (value === undefined) return null;
    return name === 'birth_date' ? day(value) : name === 'gender' ? wordOf(value, texts.genders) : value;
  };
  return (
    <RecordLayout
      kind={isPhoto ? 'photo' : 'profile'}
      id={id}
      title={profile.name}
      status={isPhoto ? profile.photo_status : profile.status}
      flags={profile.duplicate_iin ? [texts.flags.duplicate_iin] : []}
      facts={[
        [texts.status, wordOf(profile.status, words.statuses)],
        [texts.photoStatus, profile.kind === 'athlete' ? wordOf(profile.photo_status, words.statuses) : null],
        ...profileFields[profile.kind].map((name) => [texts.fields[name], valueOf(name)] as const),
        [texts.reviewNote, profile.review_note],
        [texts.photoReviewNote, profile.photo_review_note],
        [texts.photo, profile.photo_id?.slice(0, 8)],
      ]}
      paper={
        profile.photo_id === null ? undefined : (
          <Paper source={{ fileId: profile.photo_id }} title={`${words.kinds.photo}: ${profile.name}`} />
        )
      }
      actions={<CorrectProfile profile={profile} />}
      decision={{
        choices: part === undefined ? [] : reviewChoices,
        templates: isPhoto ? texts.photoNotes : texts.profileNotes,
        decide: (decision, note) =>
          registry.POST('/admin/review', {
            body: { kind: part ?? 'profile', id, updated_at: profile.updated_at, ...decidedBody(decision, note) },
          }),
      }}
      onDecided={onDecided}
      related={[
        [words.kinds.user, <RecordLink key="owner" kind="user" id={profile.owner.id} name={profile.owner.name} />],
        ...profile.documents.map(
          (document) =>
            [
              wordOf(document.type, words.documentTypes),
              <RecordLink key={document.id} kind="document" id={document.id} name={wordOf(document.status, words.statuses)} />,
            ] as const,
        ),
        ...profile.applications.map(({ id: application, status }) => relatedRecord('application', application, status, words)),
      ]}
      history={profile.history}
      process={profile.process}
    />
  );
}
