import { type Area, touchedIds } from '../area.ts';
import type { Exchange } from '../exchange.ts';
import { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { parsed } from './papers.ts';
import { stateOn } from './verification.ts';

/** Members of a public Ed25519 key in a key set; a private key has `d` too. */
const ofPublicKey: ReadonlySet<string> = new Set(['kty', 'crv', 'x', 'kid', 'alg', 'use']);
/** A key is published for an hour before it signs (VER-9): no cache may keep the key set for longer. */
const mostKeysSeconds = 3600;
/** Gates refresh their lists each minute (GAT-7). */
const mostListSeconds = 60;
const completeHeader = 'status-list-complete-until';
const clockMs = 2000;
const texts = { ru: 'ru-RU,ru', kk: 'kk-KZ,kk', en: 'en-GB,en' };

/** What anybody reads of certificates beside the answers of the API: keys, the heads of lists, and the page of the QR (VER-7, VER-9). */
export const publicationArea: Area = {
  async ask(inquiry, touched) {
    const id = touchedIds(touched, 'application').find((one) => inquiry.model.applications.get(one)?.certificate);
    if (id !== undefined) await askPage(inquiry, id);
  },

  async askAll(inquiry) {
    const { model, publicly } = inquiry;
    askKeys(inquiry, await publicly('GET /.well-known/jwks.json'));
    const { status_lists: uris } = parsed<{ status_lists: string[] }>((await publicly('GET /status-lists')).bytes);
    for (const uri of uris) await askUnchanged(inquiry, `GET ${uri.slice(model.origin.length)}`);
    for (const id of model.papers.keys()) await askPage(inquiry, id);
  },
};

/** No private key, and no key twice (VER-9). */
function askKeys({ same }: Inquiry, answer: Exchange): void {
  const { keys } = parsed<{ keys: Record<string, string>[] }>(answer.bytes);
  const others = keys.flatMap((key) => Object.keys(key).filter((name) => !ofPublicKey.has(name)));
  same('the key set has public keys alone (VER-9)', [], others);
  same('the key set names each key once (VER-9)', keys.length, new Set(keys.map(({ kid }) => kid)).size);
  askCache('the key set', answer, mostKeysSeconds);
}

function askCache(what: string, { headers }: Exchange, mostSeconds: number): void {
  const control = headers.get('cache-control') ?? '';
  const seconds = Number(/max-age=(\d+)/.exec(control)?.[1] ?? 0);
  if (seconds > mostSeconds)
    throw new Finding(`${what} is kept by caches for ${mostSeconds} seconds at most (VER-9, GAT-7)`, mostSeconds, control);
}

/** An answer without a body says up to when the list has every change too (VER-12). */
async function askUnchanged({ publicly, same, eventually }: Inquiry, operation: string): Promise<void> {
  await eventually(async () => {
    const accept = 'application/statuslist+cwt';
    const first = await publicly(operation, { headers: { accept } });
    askCache(operation, first, mostListSeconds);
    const etag = first.headers.get('etag');
    if (etag === null) return;
    const again = await publicly(operation, { headers: { accept, 'if-none-match': etag } });
    same(
      `${operation} is unchanged for a client that has it`,
      { status: 304, size: 0 },
      { status: again.status, size: again.bytes.length },
    );
    const [before, after] = [first, again].map(({ headers }) => Date.parse(headers.get(completeHeader) ?? ''));
    const isGrown = before !== undefined && after !== undefined && after >= before && after <= again.at.getTime() + clockMs;
    if (!isGrown) throw new Finding(`${operation} says with a 304 up to when the list has every change (VER-12)`, first.at, after);
  });
}

/** The page has the facts of the certificate in each language, no script and no name of a person (VER-3, VER-7); also where a mail added a dot (VER-8). */
async function askPage({ model, publicly, same, today, eventually }: Inquiry, id: number): Promise<void> {
  const application = model.applications.get(id);
  const { certificate } = application ?? {};
  if (!application || !certificate || certificate.token === '') return;
  await eventually(async () => {
    const pages: string[] = [];
    for (const [language, accepted] of Object.entries(texts)) {
      const path = `GET /v/${certificate.token}${language === 'en' ? ').' : ''}`;
      const { status, bytes } = await publicly(path, { headers: { accept: 'text/html', 'accept-language': accepted } });
      const page = bytes.toString();
      const seen = {
        status,
        language: /<html[^>]* lang="(\w+)/.exec(page)?.[1],
        hasNumber: page.includes(certificate.number),
        hasScript: /<script/i.test(page),
      };
      const expected = { status: 200, language, hasNumber: true, hasScript: false };
      same(`the page of the QR of application ${id} shows its certificate in ${language} (VER-7, VER-8)`, expected, seen);
      pages.push(page);
    }
    same(`the page of application ${id} is another one in each language (VER-7)`, 3, new Set(pages).size);
    const isValid = stateOn(model, application, today) === 'valid';
    const says = pages.at(-1)?.includes('Not valid') === false;
    same(`the page of application ${id} says whether it is in force (VER-2, VER-7)`, isValid, says);
    const name = model.profiles.get(application.profileId)?.fields['last_name'];
    if (typeof name === 'string' && name.length > 5)
      same(
        `the page of application ${id} names no person (VER-3)`,
        false,
        pages.some((page) => page.includes(name)),
      );
  });
}
