import { createRandom } from '../../../support/random.ts';
import { ownerOfApplication } from './applications.ts';
import type { Area } from '../area.ts';
import { refuse } from '../judgement.ts';
import { type Model, ownerOf } from '../model.ts';
import { decisionOn } from './profiles.ts';

/** Doors to one record: the route that shows it, and the lists that may. */
const doors = {
  profile: { route: 'GET /profiles/{id}', list: 'GET /profiles' },
  document: { route: 'GET /documents/{id}', list: null },
  application: { route: 'GET /applications/{id}', list: 'GET /applications' },
  invoice: { route: 'GET /invoices/{id}', list: 'GET /invoices' },
} as const;

/** Who may read what, by ACC-8, API-3 and FIL-4: the owner and administrators; for everyone else it does not exist. */
export const rightsArea: Area = {
  judge(model, asked) {
    const { accountId } = asked.by;
    if (!isActive(model, accountId) && accountId !== 0) return refuse();
    const decided = decisionOn(asked);
    if (!decided) return null;
    if (model.accounts.get(accountId)?.role !== 'administrator') return refuse();
    // A refusal says why (REV-2).
    const isUnexplained = decided.decision !== 'approve' && (decided.note === undefined || [...decided.note].length < 5);
    return isUnexplained ? refuse() : null;
  },

  async ask(inquiry, touched) {
    const { people, as, publicly, same, model } = inquiry;
    for (const { kind, id } of touched) {
      if (!isDoor(kind) || typeof id !== 'number') continue;
      const ownerId = ownerOfRecord(model, kind, id);
      if (ownerId === null) continue;
      const { route, list } = doors[kind];
      const strangers = people.filter(({ accountId }) => accountId !== ownerId && isActive(model, accountId));
      const stranger = strangers[createRandom(id).between(0, Math.max(0, strangers.length - 1))];
      if (stranger) {
        same(`${kind} ${id} does not exist for ${stranger.name} (API-3)`, 404, (await as(stranger, route, { params: { id } })).status);
        if (list !== null) {
          const rows = await as(stranger, list, { query: list === 'GET /profiles' ? '' : '?limit=100' });
          same(
            `${kind} ${id} is in no list of ${stranger.name}`,
            false,
            (rows.data as { id: number }[]).some((row) => row.id === id),
          );
        }
      }
      same(`${kind} ${id} needs a login`, 401, (await publicly(route, { params: { id } })).status);
      const owner = inquiry.personOf(ownerId);
      if (owner) {
        const expected = isActive(model, ownerId) ? 200 : 401;
        same(
          `${kind} ${id} is read by its owner while the account is active (ACC-11)`,
          expected,
          (await as(owner, route, { params: { id } })).status,
        );
      }
    }
  },
};

const isDoor = (kind: string): kind is keyof typeof doors => kind in doors;

function isActive(model: Model, accountId: number): boolean {
  return model.accounts.get(accountId)?.status === 'active';
}

function ownerOfRecord(model: Model, kind: keyof typeof doors, id: number): number | null {
  switch (kind) {
    case 'profile':
      return model.profiles.get(id)?.ownerId ?? null;
    case 'document': {
      const document = model.documents.get(id);
      return document ? ownerOf(model, document.profileId) : null;
    }
    case 'application': {
      const application = model.applications.get(id);
      return application ? ownerOfApplication(model, application) : null;
    }
    case 'invoice':
      return model.invoices.get(id)?.ownerId ?? null;
  }
}
