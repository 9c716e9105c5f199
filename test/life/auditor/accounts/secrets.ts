import { ownerOfRecord } from './records.ts';
import type { Caller, Exchange } from '../exchange.ts';
import type { Model } from '../model.ts';

/** Whom a text concerns: an account, a record with an owner, both sides of a conversation, or administrators alone. */
type Kind = 'account' | 'profile' | 'document' | 'application' | 'event' | 'contract' | 'registration' | 'message' | 'administration';

/** A text that not all may read. */
interface Secret {
  kind: Kind;
  id: number;
  field: string;
  /** The owner of the record when it was written: they knew it before any transfer. */
  writtenFor: number | null;
}

/** Fields with a text of one account's own; other fields are too short, or too much alike, to be told apart. */
const fields: ReadonlySet<string> = new Set([
  'last_name',
  'iin',
  'phone',
  'address',
  'legal_address',
  'director_name',
  'email',
  'number',
  'note',
  'reason',
  'message',
  'title',
  'location',
  'url',
]);

/** Of these, the titles and places that a message may name. */
const titlesAndPlaces: ReadonlySet<string> = new Set(['address', 'legal_address', 'title', 'location', 'url']);

/** A shorter text would be found by chance. */
const shortest = 6;

/** Texts of requests, each with whose it is. Steps write them so that most are found in one record only. */
export class Secrets {
  readonly #secrets = new Map<string, Secret[]>();

  add(text: string, kind: Kind, id: number, field = '', writtenFor: number | null = null): void {
    if ([...text].length < shortest) return;
    const told = this.#secrets.get(text) ?? [];
    this.#secrets.set(text, told);
    if (told.some((one) => one.kind === kind && one.id === id && one.writtenFor === writtenFor)) return;
    told.push({ kind, id, field, writtenFor });
  }

  /** Takes over what an accepted write said. */
  wrote(model: Model, exchange: Exchange): void {
    const subject = subjectOf(exchange);
    if (subject === null) return;
    const [kind, id] = subject;
    const ownerId = ownerOfRecord(model, kind, id);
    for (const [field, text] of textsIn(exchange.body)) this.add(text, kind, id, field, ownerId);
  }

  /** Names, numbers, notes and addresses of accounts in a text that may hold none for any reader. */
  privateIn(text: string): string[] {
    const isPrivate = ({ field }: Secret) => !titlesAndPlaces.has(field);
    return [...this.#secrets].filter(([secret, told]) => text.includes(secret) && told.some(isPrivate)).map(([secret]) => secret);
  }

  /** The texts in an answer that no rule lets its reader see. @param named profiles whose names the answer may show to anybody */
  foreignIn(model: Model, by: Caller, answer: string, named: ReadonlySet<number>): string[] {
    const isNamed = ({ kind, id, field }: Secret) => kind === 'profile' && field === 'last_name' && named.has(id);
    return [...this.#secrets]
      .filter(([text]) => answer.includes(JSON.stringify(text).slice(1, -1)))
      .filter(([, told]) => !told.some((secret) => isNamed(secret) || mayRead(model, secret, by)))
      .map(([text, told]) => `${text} of ${told.map(({ kind, id }) => `${kind} ${id}`).join(', ')}`);
  }
}

function mayRead(model: Model, { kind, id, field, writtenFor }: Secret, { accountId, administratorId, scopes }: Caller): boolean {
  if (kind === 'account' && (id === accountId || id === administratorId)) return true;
  // Conversations of registrations are closed to administrators, and move with the profile (MSG-2, MSG-6).
  if (kind === 'message') return isSideOf(model, id, accountId);
  const isAdministrator = model.accounts.get(accountId)?.role === 'administrator';
  if (isAdministrator && (scopes === null || scopes.some((scope) => scope.startsWith('admin:')))) return true;
  if (kind === 'account' || kind === 'administration') return false;
  if (writtenFor === accountId || ownerOfRecord(model, kind, id) === accountId) return true;
  if (kind === 'event') return model.events.get(id)?.wasPublished === true;
  if (kind === 'registration') return isSideOf(model, id, accountId);
  if (kind === 'profile' && field === 'last_name') return isOrganizerOf(model, id, accountId);
  // Of a paper of another federation (REG-3).
  return kind === 'document' && field === 'number' && isOrganizerOf(model, model.documents.get(id)?.profileId ?? 0, accountId);
}

/** Athlete or organizer of a registration; an organizer from its submission on (REG-8). */
function isSideOf(model: Model, registrationId: number, accountId: number): boolean {
  const registration = model.registrations.get(registrationId);
  if (!registration) return false;
  const isOrganizer = registration.wasSubmitted && ownerOfRecord(model, 'event', registration.eventId) === accountId;
  return isOrganizer || ownerOfRecord(model, 'registration', registrationId) === accountId;
}

/** Whether the account was told of the athlete by a submitted registration or a list of participants (REG-8, EVT-20). */
function isOrganizerOf(model: Model, profileId: number, accountId: number): boolean {
  const registered = [...model.registrations.values()].filter((one) => one.profileId === profileId && one.wasSubmitted);
  const listed = [...model.participants.values(), ...model.removedParticipants].filter((one) => one.profileId === profileId);
  return [...registered, ...listed].some(({ eventId }) => {
    const organizer = model.profiles.get(model.events.get(eventId)?.profileId ?? 0);
    return organizer?.ownerId === accountId || organizer?.formerOwnerIds.has(accountId) === true;
  });
}

const ofDecisions: Readonly<Record<string, Kind>> = {
  profile: 'profile',
  photo: 'profile',
  document: 'document',
  application: 'application',
  event_stage: 'event',
};

/** The record that a write is of; null where the texts are not searched for. */
function subjectOf({ operation, params, body, data, by }: Exchange): [Kind, number] | null {
  const [, method = '', path = ''] = /^(\w+) (\S+)$/.exec(operation) ?? [];
  const id = Number(params['id']);
  if (operation === 'POST /admin/review') {
    const { kind, id: decided } = body as { kind: string; id: number };
    const decidedKind = ofDecisions[kind];
    return decidedKind === undefined ? null : [decidedKind, decided];
  }
  if (operation === 'PUT /admin/profiles/{id}/owner') return ['administration', id];
  if (operation === 'POST /contact') return ['administration', 0];
  if (operation === 'POST /webhooks') return ['account', by.accountId];
  if (path.startsWith('/messenger/')) return ['message', id];
  const { registration_id: registrationId } = params;
  if (registrationId !== undefined) return ['registration', Number(registrationId)];
  const [, family = ''] = /^\/(?:admin\/records\/|admin\/)?(\w+)(?=\/|$)/.exec(path) ?? [];
  const kind = ({ profile: 'profile', document: 'document', event: 'event', contract: 'contract', application: 'application' } as const)[
    family.replace(/s$/, '')
  ];
  if (kind === undefined) return null;
  const isNew = method === 'POST' && !path.includes('{id}');
  // A bulletin has a title of its own.
  if (path.includes('/additional-documents')) return null;
  return [kind, isNew ? Number(data?.id) : id];
}

function textsIn(value: unknown, field = ''): [field: string, text: string][] {
  if (typeof value === 'string') return fields.has(field) ? [[field, value]] : [];
  if (Array.isArray(value)) return value.flatMap((item: unknown) => textsIn(item, field));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => textsIn(inner, name));
}
