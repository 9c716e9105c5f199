import type { Language, LocalizedText } from '../../http/language.ts';
import { wordsOfDay, wordsOfMoment, wordsOfMoney } from '../../http/response/in-words.ts';
import { isDay, parseDateTime } from '../../platform/time/date-time.ts';

/**
 * The language-independent content of a text: ids, codes, numbers, days, money, titles in three languages, and text that a person wrote.
 * Every fact is optional; a sentence without its fact is left out.
 * - `note`: the administrator's note on a decision; `reason`: a reason that a person gave
 * - `number`: of a certificate, an agreement or an invoice
 * - `…_minor`: money in tiyn; `…_at`, `…_until`, `…_on`, `day`: `YYYY-MM-DD`, or an instant with its offset
 * - `service`: title of a service; codes of types, kinds and stages as on the wire
 * An area lists its own in its `notifications.ts`.
 */
export interface NotificationFacts {
  readonly [name: string]: NotificationFact;
}
export type NotificationFact = string | number | LocalizedText | readonly (string | number)[] | readonly NotificationFacts[];

/** Titles of codes, by language. */
export type CodeTitles = Readonly<Record<Language, Readonly<Record<string, string>>>>;

/** Formats facts in one language. Each method returns undefined for a missing fact. */
export class Facts {
  readonly language: Language;
  readonly #given: NotificationFacts;

  constructor(language: Language, given: NotificationFacts) {
    this.language = language;
    this.#given = given;
  }

  /** Returns a fact as it is: of a localized title its language's, of a list its items. */
  text(name: string): string | undefined {
    const fact = this.#given[name];
    if (fact === undefined || fact === null) return undefined;
    if (Array.isArray(fact)) return textOf(fact.join(', '));
    return textOf(typeof fact === 'object' ? (fact as LocalizedText)[this.language] : String(fact));
  }

  day(name: string): string | undefined {
    const day = this.text(name);
    return day !== undefined && isDay(day) ? wordsOfDay(day, this.language) : undefined;
  }

  moment(name: string): string | undefined {
    const instant = parseDateTime(this.text(name) ?? '');
    return instant === null ? undefined : wordsOfMoment(instant, this.language);
  }

  /** @param name of an amount in tiyn */
  money(name = 'amount_minor'): string | undefined {
    const minor = this.#given[name];
    return typeof minor === 'number' ? wordsOfMoney(minor, this.language) : undefined;
  }

  /** Returns the title of a code, or of each code in a list; leaves out codes without a title. */
  titles(name: string, titles: CodeTitles): string | undefined {
    const fact = this.#given[name];
    const codes = Array.isArray(fact) ? fact : [fact];
    return textOf(codes.flatMap((code) => titles[this.language][String(code)] ?? []).join(', '));
  }

  /** Returns the same for use within a sentence. */
  inSentence(name: string, titles: CodeTitles): string | undefined {
    const text = this.titles(name, titles);
    return text && text[0]?.toLowerCase() + text.slice(1);
  }

  /** Returns a list of items that have facts of their own. */
  each(name: string): Facts[] {
    const fact = this.#given[name];
    if (!Array.isArray(fact)) return [];
    return fact.flatMap((item: unknown) => (typeof item === 'object' ? new Facts(this.language, item as NotificationFacts) : []));
  }
}

function textOf(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
