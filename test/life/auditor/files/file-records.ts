export interface StoredFile {
  ownerId: number;
  mime: string;
  purpose: string;
  sha256: string;
  /** An image with a side of less than 200 pixels. */
  isSmall: boolean;
  /** A mark in white ink. */
  isInvisible: boolean;
  /** What uses it now, such as `document 7`, with the profile of that record. */
  uses: Map<string, number>;
  /** Profiles whose records used it before: whether one still does, in a history, the auditor does not know. */
  formerProfileIds: Set<number>;
}

/** A copy that a transfer makes of a file that stays (OWN-6), until a record has shown it. */
export interface FileCopy {
  id: string | null;
  /** Keeps the original. */
  fromId: number;
  ownerId: number;
  original: StoredFile & { id: string };
  /** False where only a history may keep the file. */
  isCertain: boolean;
}
