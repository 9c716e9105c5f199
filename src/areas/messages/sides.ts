import type { Language } from '../../http/language.ts';

/** Who speaks in a conversation. In an account's with the federation its holder has the side `athlete`, whatever else he is. */
export const sides = ['athlete', 'organizer', 'federation'] as const;
export type Side = (typeof sides)[number];

/** As whom somebody looks at the conversation about a registration. */
export const perspectives = ['athlete', 'organizer'] as const satisfies readonly Side[];
export type Perspective = (typeof perspectives)[number];

/** How the federation signs what its administrators write. */
export const federationName: Readonly<Record<Language, string>> = { ru: 'Федерация', kk: 'Федерация', en: 'Federation' };

/** Somebody who looks at messages: for which side, in which language. */
export interface Reader {
  side: Side;
  language: Language;
}

/** The names of the two sides, as they are now. */
export interface SideNames {
  athleteName: string;
  /** Null where no organizer takes part. */
  organizerName: string | null;
}

/**
 * The name over a message. Athletes and organizers speak by the names of profile and organization, so the names of accounts stay unknown to the
 * other side, also those of former owners. Which administrator wrote only administrators see.
 * @param authorName of the account that wrote it; null where it is not asked for
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
