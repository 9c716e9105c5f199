/**
 * An extension point: what an area needs from areas above it. An area imports only lower areas (`src/areas.ts`), so it declares a point;
 * other areas enter their parts, and every command and query gets all parts. A document finds its users this way and does not know
 * applications.
 */
export interface ExtensionPoint<Part> {
  readonly name: string;
  /** Only for the types: a part of this point. */
  readonly part?: Part;
}

/** One area's part, entered at a point of an area below it. */
export interface Extension {
  readonly point: ExtensionPoint<unknown>;
  readonly part: unknown;
}

/**
 * Declares a point.
 * @param name purpose, for debugging
 */
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
