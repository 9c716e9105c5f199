/** Kinds of what services are sold to, and of what they ask for: the vocabulary that the catalog shares with profiles and documents. */

export const profileKinds = ['athlete', 'organizer'] as const;
export type ProfileKind = (typeof profileKinds)[number];

export const documentTypes = [
  'identity',
  'passport',
  'driver',
  'medical',
  'consent',
  'organization',
  'insurance_policy',
  'naf_permission',
  'foreign_naf_license',
] as const;
export type DocumentType = (typeof documentTypes)[number];
