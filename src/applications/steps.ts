/** Everything that happens to an application, as the audit and its timeline name it. */
export type ApplicationStep =
  | 'created'
  | 'updated'
  | 'submitted'
  | 'paid'
  | 'approved'
  | 'returned'
  | 'cancelled'
  | 'lapsed'
  | 'refunded'
  | 'closed'
  /** Its owner was told that the certificate ends soon. */
  | 'reminded'
  | 'sharing_enabled'
  | 'sharing_disabled'
  /** Only in rows that the database wrote by itself: how an application stands that was changed without its step being recorded. */
  | 'carried_over';

/** In which part somebody took a step. `registry`: nobody asked for it, it had become due. */
export type StepActor = 'owner' | 'administrator' | 'registry';
