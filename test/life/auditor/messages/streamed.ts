import type { Listener } from '../../listeners.ts';
import type { Inquiry } from '../inquiry.ts';

/** A message, and who has it in the live stream (MSG-8). */
export interface SentMessage {
  id: number;
  text: string;
  side: string;
  to: readonly number[];
  /** Of a conversation about a registration; null in a chat with the federation. */
  registrationId: number | null;
}

/** Each message to an account is in its streams once, with its conversation and without who of the federation wrote it (MSG-8, MSG-9). */
export async function askMessages({ model, eventually, same }: Inquiry, listener: Listener): Promise<void> {
  const { by, followed } = listener;
  const news = model.sentMessages.slice(followed.messages ?? model.sentMessages.length);
  const expected = news.filter(({ to }) => to.includes(by.accountId));
  await eventually(async () => {
    const ids = new Set(expected.map(({ id }) => id));
    const streamed = listener.heard.filter(({ event, data }) => event === 'message' && ids.has(data.message.id));
    const seen = streamed.map(({ data: { dialog, message } }) => [
      message.id,
      message.message,
      message.author.side,
      message.mine,
      dialog.registration_id,
    ]);
    same(
      `the stream of account ${by.accountId} has each message to it, once and in order (MSG-8, NOT-5)`,
      expected.map(({ id, text, side, registrationId }) => [id, text, side, false, registrationId]),
      seen,
    );
  });
  followed.messages = model.sentMessages.length;
}

/** How the federation signs, in the language of the reader (MSG-9). */
export const federationName = { ru: 'Федерация', kk: 'Федерация', en: 'Federation' } as const;
