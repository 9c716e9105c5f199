import type { Area, Asked } from '../area.ts';
import { type Judgement, refuse } from '../judgement.ts';
import type { Model } from '../model.ts';
import { organizerOf, athleteOf } from '../registrations/registrations-of.ts';
import { judgeWebhook, readsAll } from '../webhooks/webhook-judgement.ts';
import { judgeShared } from '../verification/sharing.ts';
import { refusalOfKey } from './keys.ts';
import { ownerOfRecord } from './records.ts';
import { refusalOfBrowser } from './rights.ts';
import { isWaiting } from './second-factor.ts';

/** What a reader must have before the record counts: nothing, a browser, an account, or a permission of a key (`endpoints.tsv`). */
type Need = 'public' | 'session' | 'account' | 'browser' | `${string}:${string}`;

/** Whether a reader with what the route needs may read this record; null where another area knows. */
type Judge = (model: Model, asked: Asked, now: Date) => Judgement | null;

interface Door {
  need: Need;
  judge: Judge;
}

const idOf = ({ params }: Asked): number => Number(params['id']);
const always: Judge = () => 'accept';
const elsewhere: Judge = () => null;

/** The search for foreign texts alone must hold. */
const searched: Judge = () => 'open';

/** Its owner, and administrators who read all (ACC-8, API-3). @param then for a reader who may */
const ofOwner =
  (kind: string, then: Judge = always): Judge =>
  (model, asked, now) => {
    const ownerId = ownerOfRecord(model, kind, idOf(asked));
    if (ownerId === null || (ownerId !== asked.by.accountId && !readsAll(model, asked))) return refuse('not_found');
    return then(model, asked, now);
  };

const ofOwnerAlone =
  (kind: string): Judge =>
  (model, asked) =>
    ownerOfRecord(model, kind, idOf(asked)) === asked.by.accountId ? 'accept' : refuse('not_found');

/** A record that is there, for those who came this far. */
const known =
  (of: (model: Model) => { has(id: number): boolean }, parameter = 'id'): Judge =>
  (model, { params }) =>
    of(model).has(Number(params[parameter])) ? 'accept' : refuse('not_found');

const whileTrue =
  (isTrue: (model: Model, asked: Asked) => boolean): Judge =>
  (model, asked) =>
    isTrue(model, asked) ? 'accept' : refuse('not_found');

const wasPublished = (model: Model, asked: Asked) => model.events.get(idOf(asked))?.wasPublished === true;

/** An approved document of an event that was published (EVT-10, EVT-17). */
const ofStage = (stage: 'regulations' | 'results') =>
  whileTrue((model, asked) => {
    const { status, fileId } = model.events.get(idOf(asked))?.stages[stage] ?? { status: null, fileId: null };
    return wasPublished(model, asked) && status === 'approved' && fileId !== null;
  });

const contractOf = (model: Model, { params }: Asked) => model.contracts.values().find(({ token }) => token === params['token']);

/**
 * Its owner and administrators (FIL-4), of a made file administrators alone, by a key that reads files (FIL-6, NAT-6). Who is an
 * administrator no more does not read the marks that they sent (FIL-7).
 */
const judgeFile: Judge = (model, asked) => {
  const id = String(asked.params['uuid']).toLowerCase();
  // A made file is deleted after 30 days.
  if (model.madeFiles.has(id)) return model.accounts.get(asked.by.accountId)?.role === 'administrator' ? 'open' : refuse('not_found');
  const file = model.files.get(id);
  if (!file) return refuse('not_found');
  if (readsAll(model, asked)) return 'accept';
  if (file.ownerId !== asked.by.accountId) return refuse('not_found');
  return file.mime === 'image/png' ? 'open' : 'accept';
};

/** One side of a submitted registration, and no other account (MSG-2, MSG-3). */
const judgeConversation: Judge = (model, asked) => {
  const registration = model.registrations.get(idOf(asked));
  if (!registration?.wasSubmitted) return refuse('not_found', 'validation_failed');
  const sides = { athlete: athleteOf(model, registration), organizer: organizerOf(model, registration.eventId) };
  const side = Object.entries(sides).find(([name]) => name === asked.params['perspective'])?.[1];
  return side === asked.by.accountId ? 'accept' : refuse('not_found', 'validation_failed');
};

const doorsByNeed: Record<Need, Record<string, Judge>> = {
  public: {
    '/catalog': always,
    '/events/public': always,
    '/events/public.ics': always,
    '/events/public/{id}': whileTrue(wasPublished),
    '/events/public/{id}/documents/regulations': ofStage('regulations'),
    '/events/public/{id}/documents/results': ofStage('results'),
    '/events/public/{id}/documents/additional/{document_id}': whileTrue((model, asked) => {
      const document = model.additionalDocuments.get(Number(asked.params['document_id']));
      return document?.eventId === idOf(asked) && document.status === 'approved' && wasPublished(model, asked);
    }),
    '/verify/{token}': whileTrue((model, { params }) =>
      model.applications.values().some(({ certificate }) => certificate !== null && certificate.token === params['token']),
    ),
    '/verify/{token}/documents': judgeShared,
    '/verify/{token}/documents/{n}': judgeShared,
    '/contracts/verify/{token}': whileTrue((model, asked) => contractOf(model, asked) !== undefined),
    '/contracts/verify/{token}/pdf': whileTrue((model, asked) => contractOf(model, asked)?.status === 'confirmed'),
    '/sandbox/clock': always,
    '/openapi.json': always,
  },
  session: { '/session': searched, '/captcha': (model, asked) => (isWaiting(model, asked) ? refuse('second_factor_required') : 'open') },
  account: { '/account': always, '/messaging-bot': always },
  browser: {
    '/notifications/stream': always,
    '/account/sessions': always,
    // The life asks for no archive.
    '/account/erasure': always,
    '/account/exports/{id}': () => refuse('not_found'),
    '/api-keys': always,
    '/api-keys/{id}/requests': (model, asked) => {
      const key = model.keys.values().find(({ id }) => id === idOf(asked));
      return key?.ownerId === asked.by.accountId ? 'open' : refuse('not_found');
    },
  },
  'profiles:read': {
    '/profiles': always,
    '/profiles/summary': always,
    '/profiles/{id}': ofOwner('profile'),
    '/profiles/{id}/portfolio': ofOwnerAlone('profile'),
    '/profiles/{id}/vehicles': ofOwner('profile'),
    '/documents/{id}': ofOwner('document'),
    '/documents/{id}/timeline': ofOwner('document'),
  },
  'files:read': { '/files': always, '/files/{uuid}': judgeFile },
  'applications:read': {
    '/services/prices': always,
    '/applications': always,
    '/applications/{id}': ofOwner('application'),
    '/applications/{id}/readiness': ofOwner('application'),
    '/applications/{id}/timeline': ofOwner('application'),
    '/applications/{id}/certificate': ofOwner('application', searched),
    '/applications/{id}/qr': ofOwner('application', searched),
    '/applications/{id}/credential': ofOwner('application', searched),
    '/event-registrations': always,
    '/event-registrations/{id}': ofOwner('registration'),
    '/event-registrations/{id}/timeline': ofOwner('registration'),
    '/events/{id}/registrations/template.xlsx': whileTrue((model, asked) => model.events.get(idOf(asked))?.status === 'published'),
    // Sheets of the life are taken at once.
    '/registration-imports/{id}': () => refuse('not_found'),
    '/events/{id}/registration-options': (model, asked) => (wasPublished(model, asked) ? 'open' : refuse('not_found')),
  },
  'wallet:read': {
    '/wallet': always,
    '/invoices': always,
    '/invoices/{id}': ofOwner('invoice'),
    '/invoices/{id}/timeline': ofOwner('invoice'),
  },
  'events:read': {
    '/events': always,
    '/events/{id}': ofOwner('event'),
    '/events/{id}/timeline': ofOwner('event'),
    '/events/{id}/registration-settings': ofOwner('event'),
    '/events/{id}/additional-documents': ofOwner('event'),
    '/events/{id}/participants': ofOwner('event'),
    '/events/{id}/participants/template.xlsx': ofOwner('event'),
    '/participant-imports/{id}': () => refuse('not_found'),
    '/events/{id}/registrations': ofOwner('event'),
    '/events/{id}/registrations/export': ofOwner('event'),
    // Competitions of a life have the current flow (EVT-18).
    '/events/{id}/agreement': () => refuse('not_found'),
    '/contract-templates': always,
    '/contracts': always,
    '/contracts/{id}': ofOwner('contract'),
    '/contracts/{id}/timeline': ofOwner('contract'),
    '/contracts/{id}/preview': ofOwner('contract'),
    '/contracts/{id}/original': ofOwner('contract'),
    '/contracts/{id}/pdf': ofOwner('contract'),
  },
  'notifications:read': {
    '/notifications': always,
    '/notifications/unread': always,
    '/notifications/preferences': always,
    '/messenger': always,
    '/messenger/{perspective}/registrations/{id}': judgeConversation,
    '/chat': always,
    '/chat/unread': always,
  },
  'changes:read': { '/changes': elsewhere },
  'webhooks:write': { '/webhooks': judgeWebhook, '/webhooks/{id}': judgeWebhook, '/webhooks/{id}/deliveries': judgeWebhook },
  'admin:read': {
    '/admin/overview': always,
    '/admin/search': always,
    '/admin/queue': always,
    '/admin/catalog': always,
    '/admin/users': always,
    '/admin/users/{id}': known(({ accounts }) => accounts),
    '/admin/users/{id}/requests': known(({ accounts }) => accounts),
    '/admin/users/{id}/sessions': known(({ accounts }) => accounts),
    '/admin/incidents/{id}': known(({ incidents }) => incidents.known),
    '/admin/contact-messages/{id}': known(({ contactMessages }) => contactMessages),
    '/admin/ledger': always,
    '/admin/audit': always,
    '/admin/audit/export': always,
    '/admin/athletes': always,
    '/admin/export': always,
    '/admin/chats': always,
    '/admin/chats/{user_id}': known(({ accounts }) => accounts, 'user_id'),
    '/admin/records/application/{id}': known(({ applications }) => applications),
    '/admin/records/document/{id}': known(({ documents }) => documents),
    '/admin/records/profile/{id}': known(({ profiles }) => profiles),
    '/admin/profiles/{id}/owner/preview': elsewhere,
    '/admin/federation-signing': always,
    '/admin/contract-templates': always,
    '/admin/contract-templates/{id}': known(({ templates }) => templates),
    '/admin/national': always,
    '/admin/national/exports': always,
    '/admin/national/exports/{id}': searched,
    '/admin/national/templates/insurance': always,
    '/admin/national/templates/print': always,
    '/admin/processes': always,
    '/admin/processes/actions': searched,
  },
};

const doors = new Map<string, Door>(
  Object.entries(doorsByNeed).flatMap(([need, routes]) =>
    Object.entries(routes).map(([path, judge]) => [`GET ${path}`, { need: need as Need, judge }] as const),
  ),
);

/** A public route ignores who asks, and knows no key. */
export const isPublic = (operation: string): boolean => doors.get(operation)?.need === 'public';

/** Who may read what, through every route that shows something (ACC-7, ACC-8, ACC-13, API-3, `endpoints.tsv`). */
export const doorsArea: Area = {
  judge(model, asked, now) {
    const door = doors.get(asked.operation);
    if (!door) return null;
    const { need, judge } = door;
    // A public route ignores who asks.
    if (need === 'public' || need === 'session') return judge(model, asked, now);
    const refusal = asked.by.scopes === null ? refusalOfBrowser(model, asked) : refusalOfKey(model, asked, need, now);
    if (refusal !== null) return refusal;
    return asked.by.accountId === 0 ? refuse('unauthenticated') : judge(model, asked, now);
  },
};
