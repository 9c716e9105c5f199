import { type ChangedRecord, no } from '../changes/index.ts';

/** Agreements and their templates in the log of changes. */
export const agreementChanges: readonly ChangedRecord[] = [
  {
    record: 'contract',
    select: (db) => db.selectFrom('contracts as c').select(['c.id', 'c.status', 'c.ownerId', no.organizer, no.parent]),
    path: ({ id }) => `/contracts/${id}`,
  },
  { record: 'contract_template', path: ({ id }) => `/admin/contract-templates/${id}` },
  { record: 'federation_signing', path: () => '/admin/federation-signing' },
];
