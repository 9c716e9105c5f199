export type ApplicationStatus = 'draft' | 'submitted' | 'changes' | 'approved' | 'cancelled' | 'closed';
