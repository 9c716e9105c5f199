import { cleared, type ImpersonalRecord, type PersonalRecord, impersonal, personal } from '../../platform/personal-data.ts';

export const reviewsRecords: readonly PersonalRecord[] = [
  personal(
    'review_decisions',
    'decision',
    {
      about: {
        kind: 'subjectKind',
        id: 'subjectId',
        isText: false,
        records: {
          profile: 'profile',
          photo: 'profile',
          document: 'document',
          application: 'application',
          event_stage: 'event',
          additional_document: 'additional_document',
        },
      },
    },
    { decision: 'fact', fromStatus: 'fact', toStatus: 'fact', actorId: 'technical' },
    { keptFor: 'audit', columns: { note: cleared } },
  ),
  personal(
    'incidents',
    'incident',
    { about: { kind: 'subjectKind', id: 'subjectId', isText: true, records: { user: 'user', invoice: 'invoice' } } },
    { details: 'fact', resolvedAt: 'fact', resolvedBy: 'technical', resolution: 'personal', transactionId: 'fact' },
    { keptFor: 'money', columns: { resolution: 'withheld' } },
  ),
];

export const reviewsImpersonalRecords: readonly ImpersonalRecord[] = [impersonal('review_standings', 'statuses of records by number')];
