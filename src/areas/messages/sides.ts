import type { Language } from '../../http/language.ts';

/** Sides of a conversation. In a chat with the federation the account has the side `athlete`, whatever its role. */
export const sides = ['athlete', 'organizer', 'federation'] as const;
export type Side = (typeof sides)[number];

/** Sides from which an account may read the conversation about a registration. */
export const perspectives = ['athlete', 'organizer'] as const satisfies readonly Side[];
export type Perspective = (typeof perspectives)[number];

/** Signature of the federation's messages (MSG-9). */
export const federationName: Readonly<Record<Language, string>> = { ru: 'Федерация', kk: 'Федерация', en: 'Federation' };

/** A reader of messages: their side and language. */
export interface Reader {
  side: Side;
  language: Language;
}

/** Current names of the two sides. */
export interface SideNames {
  athleteName: string;
  /** Null without an organizer. */
  organizerName: string | null;
}

/**
 * Returns the name shown over a message (MSG-9). Profile and organization names hide account names, also those of former owners.
 * @param authorName of the account that wrote it; null unless an administrator reads
 */
export function nameOf(
  { side, authorName }: { side: Side; authorName: string | null },
  { athleteName, organizerName }: SideNames,
  { side: readingSide, language }: Reader,
): string {
  if (side === 'athlete') return athleteName;
  if (side === 'organizer') return organizerName ?? '';
  return (readingSide === 'federation' ? authorName : null) ?? federationName[language];
}
