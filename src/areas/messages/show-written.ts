import type { z } from 'zod';
import { created, ok, type Reply } from '../../http/response/reply.ts';
import { query } from '../../platform/command.ts';
import type { Platform } from '../../platform/platform.ts';
import { findConversationById, findMessages } from './queries.ts';
import type { Reader } from './sides.ts';
import { type messageResponse, presentMessage } from './wire.ts';
import type { MessageReference } from './write-message.ts';

/**
 * Answers a sent message as its author sees it; marks a repeat with the same key as such.
 * @param path of the conversation
 */
export function showWritten(
  platform: Platform,
  { id, conversationId, isNew }: MessageReference,
  reader: Reader,
  path: string,
): Promise<Reply<z.input<typeof messageResponse>>> {
  return query(platform, async (db) => {
    const [conversation, found] = [await findConversationById(db, conversationId), await findMessages(db, [id])];
    const view = found.get(id);
    if (conversation === null || view === undefined) throw new Error(`message ${id} is not there`);
    const shown = presentMessage(view, conversation, reader);
    return isNew ? created(shown, path) : ok(shown, {}, { 'Idempotent-Replayed': 'true' });
  });
}
