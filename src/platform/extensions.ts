/**
 * What an area asks of the areas above it. An area may import only those below it (`src/areas.ts` has the order), so what it
 * needs of the others it names as a point; they enter their part there, and the composition of the service hands all parts to
 * every command and reading. A document asks "who stands on me?" this way and does not know that applications exist.
 */
export interface ExtensionPoint<Part> {
  readonly name: string;
  /** Only for the types: what is entered at this point. */
  readonly part?: Part;
}

/** One area's part, entered at a point of an area below it. */
export interface Extension {
  readonly point: ExtensionPoint<unknown>;
  readonly part: unknown;
}

/** Names a point. @param name what is asked, in words, for whoever debugs */
export function definePoint<Part>(name: string): ExtensionPoint<Part> {
  return { name };
}

/** Enters a part at a point; listed in the area's `area.ts`. */
export function extend<Part>(point: ExtensionPoint<Part>, part: Part): Extension {
  return { point, part };
}

/** All that was entered, as commands and readings ask for it. */
export class Extensions {
  readonly #entered: readonly Extension[];

  constructor(entered: readonly Extension[]) {
    this.#entered = entered;
  }

  /** The parts entered at a point, in the order of the areas. */
  of<Part>(point: ExtensionPoint<Part>): Part[] {
    // `extend` takes only parts of the point's own type.
    return this.#entered.filter((entry) => entry.point === point).map((entry) => entry.part as Part);
  }
}
