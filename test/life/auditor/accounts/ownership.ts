import { type Area, type Asked, touchedIds } from '../area.ts';
import { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { type Judgement, refuse } from '../judgement.ts';
import type { Profile } from '../applications/application-records.ts';
import type { Model } from '../model.ts';
import { confirmed } from './in-person.ts';
import { isFull, isIinTaken } from '../applications/profile-judgement.ts';
import { withApplications } from '../applications/profiles.ts';
import { giveFiles, useFiles } from '../files/file-uses.ts';
import { forgetVersion } from '../competitions/versions.ts';

const shortestReason = 5;
const hourMs = 3_600_000;

/** The transfer of a profile with everything on it, by `docs/rules/ownership.md`. */
export const ownershipArea: Area = {
  judge(model, asked) {
    if (asked.operation === 'PUT /admin/profiles/{id}/owner') return judgeTransfer(model, asked);
    if (asked.operation !== 'GET /admin/profiles/{id}/owner/preview') return null;
    const isKnown = model.profiles.has(Number(asked.params['id'])) && model.accounts.has(targetOf(asked.query));
    return isKnown ? 'accept' : refuse('not_found');
  },

  saw(model, exchange) {
    useFiles(model, exchange);
    if (exchange.operation !== 'PUT /admin/profiles/{id}/owner') return [];
    const profile = model.profiles.get(Number(exchange.params['id']));
    if (!profile) return [];
    const { current_user_id: from, target_user_id: to } = exchange.body as Transfer;
    const { files: _files, ...moved } = exchange.data.moved;
    const expected = countOf(model, profile);
    if (JSON.stringify(expected) !== JSON.stringify(moved))
      throw new Finding(`the transfer of profile ${profile.id} moves its records, all at once (OWN-1)`, expected, moved);
    giveFiles(model, profile, to);
    profile.ownerId = to;
    profile.formerOwnerIds.add(from);
    // What was told of submissions stays with the former organizer (OWN-2), and its hour goes on (REG-19).
    for (const id of eventsOf(model, profile)) {
      for (const known of [model.submittedAt, model.submissionNotices]) known.delete(id);
      model.formerToldUntil.set(id, exchange.at.getTime() + hourMs);
    }
    // A moved agreement has another owner than the one that a clerk has read (REV-5).
    for (const id of contractsOf(model, profile)) forgetVersion(model, `contract/${id}`);
    for (const what of ['transferred', 'transferred_away']) model.noted(exchange, `profile.${what}`, 'profile', profile.id);
    for (const accountId of [from, to]) model.expectNotified(accountId, 'profile.transferred', profile.id);
    return [
      { kind: 'transfer', id: profile.id },
      { kind: 'account', id: from },
      { kind: 'account', id: to },
      ...withApplications(model, profile.id),
      ...documentsOf(model, profile).map((id) => ({ kind: 'document' as const, id })),
      ...eventsOf(model, profile).map((id) => ({ kind: 'event' as const, id })),
      ...contractsOf(model, profile).map((id) => ({ kind: 'contract' as const, id })),
      ...registrationsOf(model, profile).map((id) => ({ kind: 'registration' as const, id })),
    ];
  },

  read(model, { operation, params, query, data }) {
    const profile = model.profiles.get(Number(params['id']));
    if (operation !== 'GET /admin/profiles/{id}/owner/preview' || !profile) return;
    const expected = conflictsOf(model, profile, targetOf(query)).toSorted();
    const seen = (data.conflicts as { code: string }[]).map(({ code }) => code).toSorted();
    if (expected.join() !== seen.join())
      throw new Finding(`the preview ${query} of a transfer of profile ${profile.id} names its conflicts (OWN-3)`, expected, seen);
  },

  async ask(inquiry, touched) {
    for (const id of touchedIds(touched, 'transfer')) await askTransferred(inquiry, id);
  },

  async askAll(inquiry) {
    for (const { id, formerOwnerIds } of inquiry.model.profiles.values()) if (formerOwnerIds.size > 0) await askTransferred(inquiry, id);
  },
};

interface Row {
  id: number;
}

interface Transfer {
  current_user_id: number;
  target_user_id: number;
  reason: string;
}

const targetOf = (query: string) => Number(new URLSearchParams(query).get('target_user_id'));

/** Every reason to refuse it; the answer may name any of them (OWN-3, OWN-7). */
function judgeTransfer(model: Model, asked: Asked): Judgement {
  const { current_user_id: from, target_user_id: to, reason } = asked.body as Transfer;
  const wrong = confirmed(model, asked);
  if ([...reason].length < shortestReason) return refuse('validation_failed');
  if (wrong) return wrong;
  const profile = model.profiles.get(Number(asked.params['id']));
  const target = model.accounts.get(to);
  if (!profile || !target) return refuse('not_found');
  const codes = [...(profile.ownerId === from ? [] : ['owner_changed']), ...conflictsOf(model, profile, to)];
  return codes.length === 0 ? 'accept' : refuse(...codes);
}

/** What the preview names: all but the changed owner. */
function conflictsOf(model: Model, profile: Profile, to: number): string[] {
  const target = model.accounts.get(to);
  const isDouble = isIinTaken(model, to, profile.fields['iin'], profile.id);
  return [
    ...(profile.ownerId === to ? ['same_account'] : []),
    ...(target?.status === 'blocked' ? ['target_blocked'] : []),
    ...(target?.role === 'administrator' ? ['target_is_administrator'] : []),
    ...(isDouble && profile.ownerId !== to ? ['duplicate_profile'] : []),
    ...(isFull(model, to) && profile.ownerId !== to ? ['quota_exceeded'] : []),
  ];
}

/** Everything on the profile is the new owner's, and does not exist for a former one. */
async function askTransferred(inquiry: Inquiry, id: number): Promise<void> {
  const { model, as, asAdministrator, same } = inquiry;
  const profile = model.profiles.get(id);
  if (!profile) return;
  for (const formerId of new Set([profile.ownerId, ...profile.formerOwnerIds])) {
    const isNow = formerId === profile.ownerId;
    const person = inquiry.personOf(formerId);
    if (!person || inquiry.isSignedOut(person) || model.accounts.get(formerId)?.status !== 'active') continue;
    const isReader = isNow || model.accounts.get(formerId)?.role === 'administrator';
    for (const [operation, ids] of movedDoors(model, profile))
      for (const record of ids) {
        const { status } = await as(person, operation, { params: { [operation.includes('{uuid}') ? 'uuid' : 'id']: record } });
        same(
          `${operation} ${record} of profile ${id} is answered to ${person.name}, ${isNow ? 'its owner' : 'its owner no more'} (OWN-1, API-3)`,
          isReader ? 200 : 404,
          status,
        );
      }
    for (const [list, ids] of movedLists(model, profile)) {
      // Profiles alone are listed without pages.
      const rows = list === 'GET /profiles' ? ((await as(person, list)).data as Row[]) : await inquiry.listedTo<Row>(person, list);
      const shown = rows.flatMap((row) => (ids.includes(row.id) ? [row.id] : []));
      same(
        `${list} of ${person.name} has the records of profile ${id} while it is theirs (OWN-1)`,
        isNow ? inOrder(ids) : [],
        inOrder(shown),
      );
    }
    const { data: preview } = await asAdministrator('GET /admin/profiles/{id}/owner/preview', {
      params: { id },
      query: `?target_user_id=${formerId}`,
    });
    same(
      `the preview of a transfer of profile ${id} to account ${formerId} names its conflicts (OWN-3)`,
      conflictsOf(model, profile, formerId).toSorted(),
      (preview.conflicts as { code: string }[]).map(({ code }) => code).toSorted(),
    );
    const { files: _files, ...counts } = preview.counts;
    same(`the preview of a transfer of profile ${id} counts its records (OWN-1)`, countOf(model, profile), counts);
  }
}

/** Routes to single records of the profile. */
function movedDoors(model: Model, profile: Profile): [string, (number | string)[]][] {
  // Of these either the file or a copy has moved.
  const undecided = new Set([...model.copies.values()].map(({ original }) => original.id));
  const files = [...model.files].filter(([id, { uses }]) => !undecided.has(id) && [...uses.values()].includes(profile.id));
  return [
    ['GET /profiles/{id}', [profile.id]],
    ['GET /documents/{id}', documentsOf(model, profile)],
    ['GET /applications/{id}', applicationsOf(model, profile)],
    ['GET /events/{id}', eventsOf(model, profile)],
    ['GET /contracts/{id}', contractsOf(model, profile)],
    ['GET /event-registrations/{id}', registrationsOf(model, profile)],
    ['GET /files/{uuid}', files.flatMap(([id, { ownerId }]) => (ownerId === profile.ownerId ? [id] : []))],
  ];
}

function movedLists(model: Model, profile: Profile): [string, number[]][] {
  return [
    ['GET /profiles', [profile.id]],
    ['GET /applications', applicationsOf(model, profile)],
    ['GET /events', eventsOf(model, profile)],
    ['GET /contracts', contractsOf(model, profile)],
    ['GET /event-registrations', registrationsOf(model, profile)],
  ];
}

const inOrder = (ids: readonly number[]) => ids.toSorted((left, right) => left - right);
const idsOf = <Row extends { id: number }>(rows: Iterable<Row>, isIt: (row: Row) => boolean): number[] =>
  [...rows].filter(isIt).map(({ id }) => id);
const documentsOf = (model: Model, { id }: Profile) => idsOf(model.documents.values(), ({ profileId }) => profileId === id);
const applicationsOf = (model: Model, { id }: Profile) => idsOf(model.applications.values(), ({ profileId }) => profileId === id);
const eventsOf = (model: Model, { id }: Profile) => idsOf(model.events.values(), ({ profileId }) => profileId === id);
const contractsOf = (model: Model, profile: Profile) => {
  const events = new Set(eventsOf(model, profile));
  return idsOf(model.contracts.values(), ({ eventId }) => events.has(eventId));
};

const registrationsOf = (model: Model, { id }: Profile) => idsOf(model.registrations.values(), ({ profileId }) => profileId === id);
/** Those with a message: of its own registrations, and of the registrations for its events (MSG-6). */
const conversationsOf = (model: Model, profile: Profile) => {
  const events = new Set(eventsOf(model, profile));
  return idsOf(
    model.registrations.values(),
    (one) => (model.conversations.get(one.id)?.length ?? 0) > 0 && (one.profileId === profile.id || events.has(one.eventId)),
  );
};

function countOf(model: Model, profile: Profile) {
  const certificates = idsOf(model.applications.values(), (one) => one.profileId === profile.id && one.certificate !== null);
  return {
    documents: documentsOf(model, profile).length,
    applications: applicationsOf(model, profile).length,
    certificates: certificates.length,
    events: eventsOf(model, profile).length,
    contracts: contractsOf(model, profile).length,
    registrations: registrationsOf(model, profile).length,
    conversations: conversationsOf(model, profile).length,
  };
}
