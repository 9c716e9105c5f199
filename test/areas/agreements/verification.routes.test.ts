import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contractStatuses } from '../../../src/areas/agreements/contracts/states.ts';
import { countStatementsOfRead } from '../../support/count-statements.ts';
import { contractFixtures } from '../../support/factories/contracts.ts';
import { signer } from '../../support/factories/signings.ts';
import { waitFor } from '../../support/wait-for.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, owner } = await useRegistry();
const anonymous = api.browser();
const make = contractFixtures(api.platform);
/** A confirmed agreement, which no test changes. */
const inForce = await make.contract(owner);

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const verify = async (token: string) => anonymous.expect(200, await anonymous.get(`/contracts/verify/${token}`)).body.data;
const formOf = (fields: Record<string, string>, ...files: (Buffer | null)[]) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  for (const file of files) form.append('file', new Blob(file ? [new Uint8Array(file)] : []), file ? 'agreement.pdf' : '');
  return form;
};
const check = (token: string, ...files: (Buffer | null)[]) =>
  anonymous.request('POST', '/contracts/verify-file', { raw: formOf({ token }, ...files) });
const unknownToken = 'A'.repeat(43);
const strangeTokens: [string, string][] = [
  ['unknown', unknownToken],
  ['too short', 'x'],
  ['a way out', '..%2f..'],
  ['too long', 'a'.repeat(5000)],
  ['SQL', "' or 1=1 --"],
];

describe('GET /contracts/verify/{token}', () => {
  // AGR-5, AGR-15
  test.each(contractStatuses)('%s: in force only when it is confirmed, and nothing of the organizer', async (status) => {
    const { token, number, original, scan } = await make.contract(owner, { status, version: 2 });
    const data = await verify(token);
    expect(data).toEqual({
      status,
      valid: status === 'confirmed',
      number,
      version: 2,
      signer: { name: signer.signer_name, position: signer.signer_position },
      signed_at: expect.stringMatching(/\+05:00$/),
      original_sha256: sha256(original),
      scan_sha256: scan && sha256(scan),
      checked_at: expect.stringMatching(/\+05:00$/),
    });
    const pdf = await anonymous.get(`/contracts/verify/${token}/pdf`);
    expect([pdf.status, pdf.status === 200 && scan !== null && pdf.bytes.equals(scan)]).toEqual(
      status === 'confirmed' ? [200, true] : [404, false],
    );
  });

  test('a replaced agreement names its successor, and its scan is no longer public (AGR-6)', async () => {
    const { id, token, eventId } = await make.contract(owner);
    anonymous.expect(200, await anonymous.get(`/contracts/verify/${token}/pdf`));
    await api.sql(`update contracts set status = 'replaced' where id = $1`, [id]);
    const next = await make.contract(owner, { eventId, status: 'generated', version: 2 });
    await api.sql(`update contracts set replaced_by_id = $2 where id = $1`, [id, next.id]);
    expect(await verify(token)).toMatchObject({ status: 'replaced', valid: false, replaced_by: next.number });
    for (const headers of [{}, { range: 'bytes=0-9' }, { 'if-none-match': '*' }])
      expect((await anonymous.get(`/contracts/verify/${token}/pdf`, headers)).status).toBe(404);
  });

  test('the scan supports ranges and downloads under the number of the agreement', async () => {
    const { token, number, scan } = inForce;
    const part = await anonymous.get(`/contracts/verify/${token}/pdf`, { range: 'bytes=0-4' });
    expect([part.status, part.bytes.toString(), part.headers.get('content-type')]).toEqual([206, '%PDF-', 'application/pdf']);
    const kept = await anonymous.get(`/contracts/verify/${token}/pdf?download=1`);
    expect(kept.headers.get('content-disposition')).toBe(`attachment; filename="${number}.pdf"`);
    expect(kept.headers.get('content-length')).toBe(String(scan?.length));
  });

  test.each(strangeTokens)('a token that is %s is not found, and gets the page for unknown agreements', async (_, token) => {
    for (const path of [`/contracts/verify/${token}`, `/contracts/verify/${token}/pdf`])
      expect(await anonymous.get(path)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
    const page = await anonymous.get(`/a/${token}`);
    expect([page.status, page.bytes.toString().includes('Соглашение не найдено')]).toEqual([404, true]);
  });

  test('an unknown token costs the same statements as a known one', async () => {
    const { token } = inForce;
    const known = await countStatementsOfRead(() => anonymous.get(`/contracts/verify/${token}`));
    const unknown = await countStatementsOfRead(() => anonymous.get(`/contracts/verify/${unknownToken}`));
    // The outbox relay of the workers runs statements of its own.
    const texts = ({ statements }: typeof known) => statements.map(({ text }) => text).filter((text) => !text.includes('"outbox"'));
    expect(texts(unknown)).toEqual(texts(known));
    expect(texts(known)).toHaveLength(2);
  });
});

describe('POST /contracts/verify-file', () => {
  test('names which of the two documents a file equals (AGR-10)', async () => {
    const { token, number, original, scan } = inForce;
    if (!scan) throw new Error('a confirmed agreement has a scan');
    const changed = Buffer.from(scan);
    changed.writeUInt8((changed.at(-10) ?? 0) ^ 1, changed.length - 10);
    for (const [file, document] of [
      [original, 'original'],
      [scan, 'scan'],
      [changed, null],
      [Buffer.from('no PDF at all'), null],
    ] as const) {
      const answer = anonymous.expect(200, await check(token, file));
      const expected = { match: document !== null, document, sha256: sha256(file), number, status: 'confirmed', valid: true };
      expect(answer.body.data).toEqual(expected);
      expect(answer.headers.get('ratelimit-limit')).not.toBeNull();
    }
  });

  test('a file of an agreement not in force matches but is not valid; one of another agreement does not match', async () => {
    const [rejected, other] = [await make.contract(owner, { status: 'rejected' }), await make.contract(owner)];
    expect((await check(rejected.token, rejected.scan)).body.data).toMatchObject({ match: true, document: 'scan', valid: false });
    expect((await check(rejected.token, other.scan)).body.data).toMatchObject({ match: false, document: null, status: 'rejected' });
    // Its PDF is still being made.
    await api.sql('update contracts set original_sha256 = null, scan_sha256 = null where id = $1', [other.id]);
    expect((await check(other.token, other.original)).body.data).toMatchObject({ match: false, document: null });
  });

  test('stores no row, object or temporary file, also for a refused file (AGR-10)', async () => {
    const { token, scan } = inForce;
    const traces = async () => ({
      rows: await api.sql('select count(*)::int as files, (select count(*)::int from audit_events) as audits from files'),
      objects: (await readdir(join(api.surroundings.config.DATA_DIR, 'files'), { recursive: true })).length,
    });
    const temporary = async () => (await readdir(tmpdir())).filter((name) => name.startsWith('registry-upload'));
    const known = new Set(await temporary());
    const before = await traces();
    const large = randomBytes(3_000_000);
    const answers = [
      await check(token, scan),
      await check(token, large),
      await check(unknownToken, large),
      await check(token, scan, large),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 422]);
    expect(await traces()).toEqual(before);
    // Other tests may still have temporary files for a moment.
    await waitFor(temporary, (names) => names.every((name) => known.has(name)), 'the temporary files of others to go');
  });

  test('refuses an incomplete request with all problems, and a file that is too large', async () => {
    const { token, scan } = inForce;
    const problems = async (form: FormData) => {
      const { status, body } = await anonymous.request('POST', '/contracts/verify-file', { raw: form });
      return [status, body.error.code, body.error.details?.fields?.map(({ path }: { path: string }) => path)];
    };
    expect(await problems(formOf({ colour: 'red' }))).toEqual([422, 'validation_failed', ['body.file', 'body.token', 'body.colour']]);
    expect(await problems(formOf({ token }, null))).toEqual([422, 'validation_failed', ['body.file']]);
    expect(await problems(formOf({ token }, Buffer.alloc(20 * 1024 * 1024 + 1)))).toEqual([413, 'payload_too_large', undefined]);
    expect((await anonymous.post('/contracts/verify-file', { token })).status).toBe(415);
    expect((await anonymous.get('/contracts/verify-file')).status).toBe(405);
    // A signed-in browser needs no CSRF token.
    const options = { raw: formOf({ token }, scan), headers: { 'x-csrf-token': '' } };
    owner.expect(200, await owner.request('POST', '/contracts/verify-file', options));
  });
});

describe('/a/{token}', () => {
  const send = (token: string, language: string, ...files: (Buffer | null)[]) =>
    anonymous.request('POST', `/a/${token}?lang=${language}`, { raw: formOf({}, ...files) });

  test('shows the same facts and links the scan while the agreement is in force (AGR-5)', async () => {
    const { id, token, number, original } = await make.contract(owner);
    anonymous.expect(200, await anonymous.get(`/a/${token}).`));
    const page = anonymous.expect(200, await anonymous.get(`/a/${token}?utm=qr`, { 'accept-language': 'kk' }));
    const text = page.bytes.toString();
    for (const part of [
      number,
      'Күшінде',
      signer.signer_name,
      sha256(original),
      `/api/v1/contracts/verify/${token}/pdf`,
      `action="/a/${token}?lang=kk"`,
    ])
      expect(text).toContain(part);
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self'");
    expect(text).not.toContain('<script');
    await api.sql(`update contracts set status = 'cancelled' where id = $1`, [id]);
    const after = (await anonymous.get(`/a/${token}?lang=en`)).bytes.toString();
    expect(after).toContain('Not in force');
    expect(after).not.toContain('/pdf"');
  });

  test('answers its form with a page of the same comparison (AGR-10)', async () => {
    const { token, scan, original } = inForce;
    const pending = await make.contract(owner, { status: 'pending' });
    const cases: [string, Buffer | null, number, string][] = [
      [token, scan, 200, 'The file is genuine'],
      [token, original, 200, 'without the organizer&#39;s signature'],
      [token, pending.scan, 200, 'The file differs'],
      [pending.token, pending.scan, 200, 'The file is genuine, but the agreement is not in force'],
      [token, null, 422, 'Choose a PDF file.'],
      [unknownToken, scan, 404, 'No such agreement'],
      [token, Buffer.alloc(20 * 1024 * 1024 + 1), 413, 'The file is too large'],
    ];
    for (const [asked, file, status, words] of cases) {
      const answer = await send(asked, 'en', file);
      expect([answer.status, answer.headers.get('content-type'), answer.bytes.toString().includes(words)]).toEqual([
        status,
        'text/html; charset=utf-8',
        true,
      ]);
      expect(answer.bytes.toString()).not.toContain('<script');
    }
  });
});
