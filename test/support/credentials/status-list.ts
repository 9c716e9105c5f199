import { inflateSync } from 'node:zlib';

/** An edition of a status list, read from its JWT form; the signature is not verified. */
export interface ReadList {
  claims: { sub: string; iat: number; exp: number; ttl: number };
  /** 0 valid, 1 invalid, 2 suspended. */
  statusAt(place: number): number;
}

/** Reads the latest edition of a status list; null before the first. @param baseUrl of the API, without a trailing slash */
export async function readStatusList(baseUrl: string, id = 1): Promise<ReadList | null> {
  const answer = await fetch(`${baseUrl}/status-lists/${id}`, { headers: { accept: 'application/statuslist+jwt' } });
  if (answer.status !== 200) return null;
  const claims = JSON.parse(Buffer.from((await answer.text()).split('.')[1] ?? '', 'base64url').toString());
  const bytes = inflateSync(Buffer.from(claims.status_list.lst, 'base64url'));
  return { claims, statusAt: (place) => ((bytes[place >> 2] ?? 0) >> ((place % 4) * 2)) & 3 };
}
