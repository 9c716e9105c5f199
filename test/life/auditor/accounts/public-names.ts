import { publicEntries } from '../competitions/participants.ts';
import type { Asked } from '../area.ts';
import type { Model } from '../model.ts';

/** The profiles whose names an answer shows to anybody: beside the documents of a licence, and in results (VER-6, EVT-17). */
export function namedIn(model: Model, operation: string, { token, id }: Asked['params']): Set<number> {
  switch (operation) {
    case 'GET /verify/{token}/documents': {
      const shared = [...model.applications.values()].filter(({ certificate }) => certificate?.token === token);
      return new Set(shared.map(({ profileId }) => profileId));
    }
    case 'GET /events/public/{id}':
      return new Set(publicEntries(model, Number(id)).map(({ profileId }) => profileId));
    default:
      return new Set();
  }
}
