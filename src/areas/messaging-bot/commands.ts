/** The bot's commands, in menu order. `/start` is not listed: the platform shows a button for it. */
export const botCommands = ['missing', 'balance', 'certificates', 'stop', 'help'] as const;
export type BotCommand = (typeof botCommands)[number];

/** A person's message to the bot, parsed. */
export type Said = { kind: 'start'; token: string | null } | { kind: 'command'; command: BotCommand } | { kind: 'other' };

/** Parses a message: `/balance`, `/balance@registry_bot`, `/start <token>`; anything else is `other`. */
export function readMessage(text: string): Said {
  const [, name = '', rest = ''] = /^\/([a-z0-9_]{1,32})(?:@\w{1,64})?(?:\s+(\S{1,128}))?\s*$/i.exec(text) ?? [];
  const word = name.toLowerCase();
  if (word === 'start') return { kind: 'start', token: rest === '' ? null : rest };
  const command = botCommands.find((known) => known === word);
  return command === undefined ? { kind: 'other' } : { kind: 'command', command };
}
