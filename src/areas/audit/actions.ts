/**
 * The facts that a reader of a record sees in the log of changes (CHG-1), by record: `registry.<record>.<verb>.v1`. An audited action stands
 * here or in `unpublishedActions`; any other does not compile.
 */
export const changeVerbs = {
  account_erasure: ['requested', 'withdrawn'],
  account: ['registered', 'updated', 'email_confirmed', 'erased'],
  user: ['role_changed', 'blocked', 'unblocked'],
  account_export: ['requested', 'made'],
  notification_preferences: ['updated'],
  messaging_bot: ['link_issued', 'link_withdrawn', 'link_expired', 'connected', 'disconnected'],
  contact_message: ['received', 'answered'],
  incident: ['resolved'],
  service: ['updated'],
  base_index: ['updated'],
  file: ['uploaded', 'deleted'],
  invoice: ['created', 'checked_out', 'verified', 'paid', 'expired', 'mismatched', 'failed', 'reversed'],
  ledger: ['corrected', 'reversed'],
  profile: [
    'created',
    'updated',
    'submitted',
    'approved',
    'changes',
    'cancelled',
    'corrected',
    'transferred',
    'transferred_away',
    'deleted',
  ],
  photo: ['approved', 'changes', 'cancelled'],
  document: ['created', 'updated', 'approved', 'changes', 'cancelled', 'expired', 'corrected', 'reminded', 'file_deleted'],
  application: [
    'created',
    'updated',
    'submitted',
    'paid',
    'approved',
    'returned',
    'cancelled',
    'lapsed',
    'refunded',
    'closed',
    'reminded',
    'sharing_enabled',
    'sharing_disabled',
    'certificate_made',
  ],
  event: [
    'created',
    'updated',
    'registration_settings_updated',
    'file_attached',
    'submitted',
    'approved',
    'returned',
    'cancelled',
    'agreement_confirmed',
    'agreement_reopened',
    'reminded',
    'intake_opened',
    'intake_closed',
    'participant_added',
    'participant_changed',
    'participant_removed',
  ],
  additional_document: ['added', 'approved', 'changes', 'cancelled', 'deleted'],
  registration: [
    'created',
    'updated',
    'submitted',
    'queued',
    'offered',
    'accepted',
    'requeued',
    'approved',
    'returned',
    'rejected',
    'numbered',
    'withdrawn',
    'lapsed',
    'eligible_again',
  ],
  contract: ['created', 'generated', 'signature_applied', 'scan_uploaded', 'confirmed', 'rejected', 'replaced', 'cancelled', 'reminded'],
  contract_template: ['created', 'updated'],
  federation_signing: ['created', 'updated'],
  webhook: ['created', 'updated', 'disabled', 'deleted'],
  messenger: ['message_sent'],
  chat: ['message_sent'],
  national: ['export_requested', 'exported', 'export_failed'],
  national_list: ['added', 'filled', 'removed', 'cleared', 'reviewed'],
} as const;

export type ChangeRecord = keyof typeof changeVerbs;

type ActionOf<R extends ChangeRecord> = `${R}.${(typeof changeVerbs)[R][number]}`;

/** An action that the log of changes publishes. */
export type ChangeAction = { [R in ChangeRecord]: ActionOf<R> }[ChangeRecord];

/** Audited actions that are no change of a record, with the reason. */
const security = 'credentials and sign-ins: other programs of the account must not follow them';
const readMark = 'a read mark, which changes no record';
const reading = 'a read, which changes no record';
export const unpublishedActions = {
  'session.started': security,
  'session.ended': security,
  'session.second_factor_awaited': security,
  'second_factor.requested': security,
  'second_factor.confirmed': security,
  'second_factor.removed': security,
  'second_factor.recovery_code_used': security,
  'administrator.created': security,
  'account.password_changed': security,
  'password_reset.requested': security,
  'password_reset.expired': security,
  'email_confirmation.requested': security,
  'email_confirmation.expired': security,
  'api_key.created': security,
  'api_key.revoked': security,
  'webhook.secret_replaced': security,
  'webhook.tested': 'an intervention into deliveries, which changes no record',
  'webhook.replayed': 'an intervention into deliveries, which changes no record',
  'impersonation.started': security,
  'impersonation.ended': security,
  'impersonation.expired': security,
  'notification.marked_read': readMark,
  'chat.marked_read': readMark,
  'messenger.marked_read': readMark,
  'contract.seen': readMark,
  'notification.refused': 'a mail or bot message, which no caller reads',
  'process.retry': 'an intervention into a process; the record has its own changes',
  'process.ask_bank': 'an intervention into a process; the record has its own changes',
  'process.restart': 'an intervention into a process; the record has its own changes',
  'registrations.exported': reading,
  'participants.exported': reading,
  'import.started': 'the records that it changes have their own changes',
  'athletes.exported': reading,
  'audit.exported': reading,
  'contract.downloaded': reading,
} as const satisfies Record<string, string>;

/** `<kind>.read`: an administrator has read another account's record (AUD-4). */
export type UnpublishedAction = keyof typeof unpublishedActions | `${string}.read`;

export type AuditedAction = ChangeAction | UnpublishedAction;

const published: ReadonlySet<string> = new Set(listActions());

/** Lists the actions that the log of changes publishes. */
export function listActions(): ChangeAction[] {
  // The keys and values of `changeVerbs` make exactly these texts.
  return Object.entries(changeVerbs).flatMap(([record, verbs]) => verbs.map((verb) => `${record}.${verb}`)) as ChangeAction[];
}

/** Whether the log of changes publishes an audited action (CHG-1). */
export function isChange(action: string): action is ChangeAction {
  return published.has(action);
}
