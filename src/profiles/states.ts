export type ProfileKind = 'athlete' | 'organizer';
export type ReviewStatus = 'draft' | 'pending' | 'approved' | 'changes' | 'cancelled';
