export const documentTypes = ['identity', 'passport', 'driver', 'medical', 'consent', 'organization', 'insurance_policy', 'naf_permission', 'foreign_naf_license'] as const;
export type DocumentType = (typeof documentTypes)[number];
export type DocumentStatus = 'pending' | 'approved' | 'changes' | 'cancelled' | 'expired';
