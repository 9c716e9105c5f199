import { type Model, ownerOf } from '../model.ts';

/** The account of a record at present; null for a record that the auditor does not know, or that has no owner. */
export function ownerOfRecord(model: Model, kind: string, id: number): number | null {
  const profileId = profileOfRecord(model, kind, id);
  if (profileId !== null) return model.profiles.has(profileId) ? ownerOf(model, profileId) : null;
  return kind === 'invoice' ? (model.invoices.get(id)?.ownerId ?? null) : null;
}

/** The profile that a record moves with (OWN-1); null for a record that the auditor does not know, or that belongs to an account. */
export function profileOfRecord(model: Model, kind: string, id: number): number | null {
  switch (kind) {
    case 'profile':
    case 'photo':
      return id;
    case 'document':
      return model.documents.get(id)?.profileId ?? null;
    case 'application':
      return model.applications.get(id)?.profileId ?? null;
    case 'registration':
      return model.registrations.get(id)?.profileId ?? null;
    case 'event':
    case 'event_stage':
      return model.events.get(id)?.profileId ?? null;
    case 'additional_document':
      return profileOfRecord(model, 'event', model.additionalDocuments.get(id)?.eventId ?? 0);
    case 'contract':
      return profileOfRecord(model, 'event', model.contracts.get(id)?.eventId ?? 0);
    default:
      return null;
  }
}
