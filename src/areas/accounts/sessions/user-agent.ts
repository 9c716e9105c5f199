const longest = 200;

/** Reads the browser's name for the list of sessions (ACC-26): at most 200 characters, without control characters; null without one. */
export function readUserAgent(header: (name: string) => string | undefined): string | null {
  const name = (header('user-agent') ?? '').replaceAll(/[\p{Cc}\p{Cf}]/gu, '').trim();
  return name === '' ? null : name.slice(0, longest);
}
