/** The parts of a scanned or pasted text. */
export interface ScannedText {
  /** Address of the verification page, without the credential; null when the text is no link of a registry. */
  page: { origin: string; path: string } | null;
  /** Null when the text has none. */
  credential: string | null;
}

/** A credential has 440 characters, its link 100 more. */
const maxLength = 4096;

/** A mail program counts the punctuation of a sentence to the link at its end. */
function withoutPunctuation(link: string): string {
  let end = link.length;
  while (end > 0 && '.,;:)]>»'.includes(link.charAt(end - 1))) end -= 1;
  return link.slice(0, end);
}

/** Takes a text apart: the link of a QR (`{base_url}/v/{token}#{credential}`), or a credential alone (GAT-1). */
export function readScannedText(text: string): ScannedText {
  const trimmed = text.length > maxLength ? '' : withoutPunctuation(text.trim());
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
