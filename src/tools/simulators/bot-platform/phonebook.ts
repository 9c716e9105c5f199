import { z } from 'zod';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { joinWrites, readStored } from '../simulator.ts';

const historyLimit = 200;
const chatLimit = 200;

const messageSchema = z.object({ from: z.enum(['person', 'bot', 'phone']), text: z.string(), at: z.string() });
export type ChatMessage = z.output<typeof messageSchema>;

/** A person with a telephone, and the chat with the bot on it. */
const chatSchema = z.object({
  id: z.int(),
  name: z.string(),
  /** Language of the person's program, part of each update. */
  language: z.string(),
  isBlocked: z.boolean(),
  messages: z.array(messageSchema),
});
export type Chat = z.output<typeof chatSchema>;

const commandsSchema = z.record(z.string(), z.array(z.object({ command: z.string(), description: z.string() })));

/** The platform's stored memory. */
const memorySchema = z.object({
  version: z.literal(1),
  nextUpdateId: z.int(),
  nextChatId: z.int(),
  webhook: z.object({ url: z.string(), secret: z.string(), updates: z.array(z.string()) }).nullable(),
  /** By language; the empty one is the default. */
  commands: commandsSchema,
  chats: z.array(chatSchema),
});
export type Memory = z.output<typeof memorySchema>;

/** The platform's memory: telephones with chats (limited, the oldest is evicted first), webhook and menu of the bot. */
export class Phonebook {
  readonly memory: Memory;

  /** @param memory from an earlier run */
  constructor(memory: Memory | null) {
    // New ids, so that the service does not take updates for repeats after a loss of the memory.
    const first = Math.floor(Date.now() / 1000);
    this.memory = memory ?? { version: 1, nextUpdateId: first, nextChatId: first, webhook: null, commands: {}, chats: [] };
  }

  /** Returns the menu of a person. */
  commandsFor({ language }: Pick<Chat, 'language'>): Memory['commands'][string] {
    const { commands } = this.memory;
    return commands[language] ?? commands[''] ?? [];
  }

  find(id: number): Chat | undefined {
    return this.memory.chats.find((chat) => chat.id === id);
  }

  open(name: string, language: string): Chat {
    const chat: Chat = { id: this.memory.nextChatId, name, language, isBlocked: false, messages: [] };
    this.memory.nextChatId += 1;
    this.memory.chats.push(chat);
    if (this.memory.chats.length > chatLimit) this.memory.chats.shift();
    return chat;
  }

  say(chat: Chat, from: ChatMessage['from'], text: string): void {
    chat.messages.push({ from, text, at: new Date().toISOString() });
    if (chat.messages.length > historyLimit) chat.messages.splice(0, chat.messages.length - historyLimit);
  }

  takeUpdateId(): number {
    const id = this.memory.nextUpdateId;
    this.memory.nextUpdateId += 1;
    return id;
  }
}

/** Returns a function that stores the memory in a small file, which each change replaces. */
export function storeMemory(path: string, memory: Memory): () => Promise<void> {
  return joinWrites(async () => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(`${path}.tmp`, JSON.stringify(memory), { mode: 0o600 });
    await rename(`${path}.tmp`, path);
  });
}

/** @throws {Error} when the file has another format */
export async function readMemory(path: string): Promise<Memory | null> {
  const text = await readStored(path);
  if (text === null) return null;
  try {
    return memorySchema.parse(JSON.parse(text));
  } catch {
    throw new Error(`${path} is not the file of the bot platform simulator; remove it to start with empty telephones`);
  }
}
