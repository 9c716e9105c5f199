import { type Area, type Asked, touchedIds } from '../area.ts';
import type { Inquiry } from '../inquiry.ts';
import { type Judgement, refuse } from '../judgement.ts';
import type { Model } from '../model.ts';
import type { Message, Registration } from './registration-records.ts';
import { athleteOf, organizerOf } from './registrations-of.ts';

const writing = 'POST /messenger/{perspective}/registrations/{id}/messages';
const reading = 'POST /messenger/{perspective}/registrations/{id}/read';

/** Messages between athlete and organizer, by `docs/rules/messages.md`. */
export const messengerArea: Area = {
  judge(model, asked) {
    if (asked.operation !== writing && asked.operation !== reading) return null;
    const side = asked.params['perspective'];
    const registration = model.registrations.get(Number(asked.params['id']));
    // No other account is a side, and a draft has no conversation (MSG-2, MSG-3).
    if (!registration?.wasSubmitted || accountOf(model, registration, side) !== asked.by.accountId)
      return refuse('not_found', 'validation_failed');
    return asked.operation === writing ? judgeText(asked) : 'accept';
  },

  saw(model, { operation, params, body, data }) {
    if (operation !== writing && operation !== reading) return [];
    const id = Number(params['id']);
    const messages = model.conversations.get(id) ?? [];
    model.conversations.set(id, messages);
    const side = params['perspective'] as Message['side'];
    if (operation === writing) {
      const text = (body as { message: string }).message.normalize('NFC');
      messages.push({ id: data.id, side, text, isRead: false });
      const registration = model.registrations.get(id);
      const reader = registration && accountOf(model, registration, side === 'athlete' ? 'organizer' : 'athlete');
      model.sentMessages.push({ id: data.id, text, side, to: [reader ?? 0], registrationId: id });
    } else for (const message of messages) if (message.side !== side) message.isRead = true;
    return [{ kind: 'registration', id }];
  },

  async ask(inquiry, touched) {
    for (const id of touchedIds(touched, 'registration')) {
      const registration = inquiry.model.registrations.get(id);
      if (registration) await askConversation(inquiry, registration);
    }
  },
};

function accountOf(model: Model, registration: Registration, side: unknown): number | null {
  if (side === 'athlete') return athleteOf(model, registration);
  return side === 'organizer' ? organizerOf(model, registration.eventId) : null;
}

function nameOf(model: Model, { profileId, eventId }: Registration, side: Message['side']): string {
  const athlete = model.profiles.get(profileId)?.fields ?? {};
  if (side === 'athlete')
    return ['last_name', 'first_name', 'middle_name'].flatMap((name) => (athlete[name] as string | undefined) ?? []).join(' ');
  return String(model.profiles.get(model.events.get(eventId)?.profileId ?? 0)?.fields['organization_name']);
}

/** 1 to 3000 code points, not blank (MSG-1). */
function judgeText({ body }: Asked): Judgement {
  const { message } = body as { message: string };
  const length = [...message].length;
  return message.trim() === '' || length > 3000 || message.includes('\u0000') ? refuse('validation_failed') : 'accept';
}

/** Both sides read the same messages, newest first, and count what the other side wrote (MSG-2, MSG-4, MSG-8). */
async function askConversation(inquiry: Inquiry, registration: Registration): Promise<void> {
  const { model, as, asOwner, same, people } = inquiry;
  const { id } = registration;
  const messages = model.conversations.get(id);
  if (messages === undefined && registration.wasSubmitted) return;
  for (const side of ['athlete', 'organizer'] as const) {
    const account = accountOf(model, registration, side) ?? 0;
    const call = { params: { perspective: side, id } };
    const answer = await asOwner(account, 'GET /messenger/{perspective}/registrations/{id}', { ...call, query: '?limit=100' });
    const stranger = people.find(
      (one) => one.accountId !== account && model.accounts.get(one.accountId)?.status === 'active' && !inquiry.isSignedOut(one),
    );
    if (stranger)
      same(
        `the conversation of registration ${id} does not exist for ${stranger.name} as its ${side} (MSG-2)`,
        404,
        (await as(stranger, 'GET /messenger/{perspective}/registrations/{id}', call)).status,
      );
    if (answer.status === 401 || answer.status === 403) continue;
    same(`registration ${id} has a conversation once it was submitted (MSG-3)`, registration.wasSubmitted ? 200 : 404, answer.status);
    if (answer.status !== 200 || messages === undefined) continue;
    const expected = messages.map((one) => ({
      id: one.id,
      message: one.text,
      side: one.side,
      // By the names of profile and organization, not of accounts (MSG-9).
      name: nameOf(model, registration, one.side),
      mine: one.side === side,
      isRead: one.isRead,
    }));
    const seen = (
      answer.data.messages as {
        id: number;
        message: string;
        author: { side: string; name: string };
        mine: boolean;
        read_at: string | null;
      }[]
    ).map(({ id: messageId, message, author, mine, read_at: readAt }) => ({
      id: messageId,
      message,
      side: author.side,
      name: author.name,
      mine,
      isRead: readAt !== null,
    }));
    if (answer.meta.total <= 100)
      same(`the ${side} of registration ${id} reads every message, newest first (MSG-1, MSG-4, MSG-9)`, expected.toReversed(), seen);
    const dialogs = await asOwner(account, 'GET /messenger', { query: '?limit=100' });
    const row = (dialogs.data as { registration_id: number | null; perspective: string | null; unread: number }[]).find(
      (one) => one.registration_id === id && one.perspective === side,
    );
    const unread = messages.filter((one) => one.side !== side && !one.isRead).length;
    if (dialogs.meta.total <= 100)
      same(`the messenger of the ${side} counts what waits in registration ${id} (MSG-8)`, unread, row?.unread);
  }
}
