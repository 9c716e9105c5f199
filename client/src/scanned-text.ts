/** The parts of a scanned or pasted text. */
export interface ScannedText {
  /** Address of the verification page, without the credential; null when the text is no link of a registry. */
  page: { origin: string; path: string } | null;
  /** Null when the text has none. */
  credential: string | null;
}

/** A credential has 440 characters, its link 100 more. */
const maxLength = 4096;

/** Takes a text apart: the link of a QR (`{base_url}/v/{token}#{credential}`), or a credential alone (GAT-1). */
export function readScannedText(text: string): ScannedText {
  // A mail program counts the punctuation of a sentence to the link at its end.
  const trimmed = text.length > maxLength ? '' : text.trim().replace(/[.,;:)\]>»]+$/, '');
  if (!/^https?:/i.test(trimmed)) return { page: null, credential: trimmed || null };
  let url: URL;
  try {
    url = new URL(trimmed);
  } catch {
    return { page: null, credential: null };
  }
  const isPage = /\/v\/[\w-]+$/.test(url.pathname);
  return { page: isPage ? { origin: url.origin, path: url.pathname } : null, credential: url.hash.slice(1) || null };
}
