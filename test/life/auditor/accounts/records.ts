import { type Model, ownerOf } from '../model.ts';

/** The account of a record at present; null for a record that the auditor does not know, or that has no owner. */
export function ownerOfRecord(model: Model, kind: string, id: number): number | null {
  switch (kind) {
    case 'profile':
    case 'photo':
      return model.profiles.get(id)?.ownerId ?? null;
    case 'document': {
      const document = model.documents.get(id);
      return document ? ownerOf(model, document.profileId) : null;
    }
    case 'application': {
      const application = model.applications.get(id);
      return application ? ownerOf(model, application.profileId) : null;
    }
    case 'invoice':
      return model.invoices.get(id)?.ownerId ?? null;
    case 'registration': {
      const registration = model.registrations.get(id);
      return registration ? ownerOf(model, registration.profileId) : null;
    }
    case 'event': {
      const event = model.events.get(id);
      return event ? ownerOf(model, event.profileId) : null;
    }
    case 'contract':
      return ownerOfRecord(model, 'event', model.contracts.get(id)?.eventId ?? 0);
    default:
      return null;
  }
}
