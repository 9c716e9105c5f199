/**
 * An extension point: what an area needs from areas above it. An area imports only lower areas (`src/registry/areas.ts`), so it declares a point.
 * Upper areas register their parts, and commands and queries call all parts. For example, documents find the applications that use them.
 */
export interface ExtensionPoint<Part> {
  readonly name: string;
  /** Only for the types: the type of a part. */
  readonly part?: Part;
}

/** A part that an area registers at a point of a lower area. */
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

/** Registers a part at a point; listed in the area's `index.ts`. */
export function extend<Part>(point: ExtensionPoint<Part>, part: Part): Extension {
  return { point, part };
}

/** All registered parts. */
export class Extensions {
  readonly #extensions: readonly Extension[];

  constructor(extensions: readonly Extension[]) {
    this.#extensions = extensions;
  }

  /** Returns these parts and another one. */
  with(extension: Extension): Extensions {
    return new Extensions([...this.#extensions, extension]);
  }

  /** Returns the parts of a point, in the order of the areas. */
  of<Part>(point: ExtensionPoint<Part>): Part[] {
    // `extend` takes only parts of the point's own type.
    return this.#extensions.filter((entry) => entry.point === point).map((entry) => entry.part as Part);
  }
}
