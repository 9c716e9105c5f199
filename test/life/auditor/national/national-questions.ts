import { createHash } from 'node:crypto';
import { readZip } from '../../../support/papers/read-zip.ts';
import { administratorsOf } from '../accounts/account-records.ts';
import type { Touched } from '../area.ts';
import type { Inquiry } from '../inquiry.ts';
import type { Application } from '../applications/application-records.ts';
import type { Model } from '../model.ts';
import { readWorkbook } from './workbook.ts';
import { serviceOf } from '../applications/readiness.ts';

export type ExportList = 'insurance' | 'print';

const dayMs = 86_400_000;
const exportLists: readonly ExportList[] = ['insurance', 'print'];
const nationalLists = ['review', ...exportLists] as const;

interface NationalRow {
  id: number;
  status: string;
  number: string | null;
  paid: boolean;
  exports: Record<ExportList, unknown[]>;
}

/** Asks for the lists that a step changed, and for the files that it made. */
export async function askLists(inquiry: Inquiry, touched: readonly Touched[]): Promise<void> {
  if (touched.some(({ kind }) => kind === 'national_list')) for (const id of administratorsOf(inquiry.model)) await askListsOf(inquiry, id);
  for (const { kind, id } of touched) if (kind === 'national_export' && typeof id === 'number') await askFile(inquiry, id);
}

/** Each administrator has the own lists, whatever another one did (NAT-1). */
async function askListsOf(inquiry: Inquiry, id: number): Promise<void> {
  const administrator = inquiry.personOf(id);
  const answer = administrator && (await inquiry.as(administrator, 'GET /admin/national', { query: '?limit=1' }));
  if (answer?.status !== 200) return;
  const seen = answer.meta.lists as Record<(typeof nationalLists)[number], number[]>;
  for (const list of nationalLists)
    inquiry.same(
      `${administrator?.name} has the list ${list} that they made (NAT-1)`,
      inOrder(inquiry.model.nationalLists.get(`${id}/${list}`) ?? []),
      inOrder(seen[list]),
    );
}

/** The register of national certificates agrees with what was decided, paid and exported (NAT-2, NAT-10). */
export async function askAllNational(inquiry: Inquiry): Promise<void> {
  const { model, listed, eventually, same } = inquiry;
  await eventually(() => askKeptFiles(inquiry));
  await eventually(async () => {
    const national = [...model.applications.values()].filter((one) => serviceOf(model, one).kind === 'national_certificate');
    const expected = national.map((one) => rowOf(model, one)).toSorted((left, right) => right.id - left.id);
    const rows = await listed<NationalRow>('GET /admin/national');
    const seen = rows.map(({ id, status, number, paid, exports }) => ({
      id,
      status,
      number,
      paid,
      insurance: exports.insurance.length,
      print: exports.print.length,
    }));
    same('the register of national certificates has each application as it stands, with its exports (NAT-10)', expected, seen);
    for (const list of exportLists)
      for (const relation of ['exported', 'not_exported']) {
        const filtered = await listed<NationalRow>('GET /admin/national', `?${list}=${relation}`);
        const wanted = expected.filter((row) => row[list] > 0 === (relation === 'exported')).map(({ id }) => id);
        same(
          `the register finds what was ${relation} for ${list} (NAT-10)`,
          wanted,
          filtered.map(({ id }) => id),
        );
      }
    const paid = await listed<NationalRow>('GET /admin/national', '?paid=true');
    same(
      'the register finds what is paid',
      expected.filter((row) => row.paid).map(({ id }) => id),
      paid.map(({ id }) => id),
    );
  });
}

/** The file of an export is kept for 30 days, and deleted then; a day is left for its process (NAT-6). */
async function askKeptFiles({ model, now, asAdministrator, same }: Inquiry): Promise<void> {
  for (const [id, madeAt] of model.nationalFilesMadeAt) {
    const days = (now.getTime() - madeAt.getTime()) / dayMs;
    if (Math.abs(days - 30) < 1) continue;
    const { file } = (await asAdministrator('GET /admin/national/exports/{id}', { params: { id } })).data as { file: object | null };
    same(`the file of export ${id} is kept for 30 days, and it is ${Math.floor(days)} days old (NAT-6)`, days < 30, file !== null);
  }
}

function rowOf(model: Model, { id, status, certificate, isPaid }: Application) {
  const exported = (list: ExportList) => model.nationalExports[list].get(id) ?? 0;
  return { id, status, number: certificate?.number ?? null, paid: isPaid, insurance: exported('insurance'), print: exported('print') };
}

/** The file holds exactly the exported certificates, by number, as issued (NAT-4, NAT-6, NAT-8, NAT-9). */
async function askFile(inquiry: Inquiry, exportId: number): Promise<void> {
  const { model, asAdministrator, as, people, same } = inquiry;
  const shown = (await asAdministrator('GET /admin/national/exports/{id}', { params: { id: exportId } })).data;
  const { list, count, file } = shown as { list: ExportList; count: number; file: { id: string } | null };
  if (file === null) return;
  model.madeFiles.add(file.id);
  const call = { params: { id: file.id }, query: '?download=1' };
  const answer = await asAdministrator('GET /files/{id}', call);
  for (const person of people)
    if (inquiry.isActive(person) && !inquiry.isSignedOut(person) && model.accounts.get(person.accountId)?.role === 'user')
      same(`${person.name} cannot read the file of a national export (NAT-6)`, 404, (await as(person, 'GET /files/{id}', call)).status);
  const files = list === 'print' ? readZip(answer.bytes) : new Map([['document.xlsx', answer.bytes]]);
  const [sheet] = await readWorkbook(files.get('document.xlsx') ?? Buffer.alloc(0));
  const rows = sheet?.rows.slice(1) ?? [];
  const exported = (model.nationalFiles.get(exportId) ?? []).flatMap((id) => model.applications.get(id) ?? []);
  const certificates = exported.flatMap((application) => (application.certificate ? [{ application, ...application.certificate }] : []));
  const inSeries = certificates.toSorted((left, right) => left.number.localeCompare(right.number));
  same(`the file of export ${exportId} has a row for each record (NAT-4)`, count, rows.length);
  same(`the rows of export ${exportId} have no formulas`, [], sheet?.formulas);
  same(
    `the rows of export ${exportId} are certificates as issued, with the present IIN, by number (NAT-8)`,
    inSeries.map(({ application, number, validFrom, validUntil, holder, birthDate }) => {
      const { fields = {} } = model.profiles.get(application.profileId) ?? {};
      const dates = `${dotted(validFrom)} – ${dotted(validUntil)}`;
      return [number, ...holder, birthDate, dates, ...(list === 'insurance' ? [fields['iin'] ?? null] : [])];
    }),
    rows.map((row) => [...row.slice(0, 5), ...(list === 'insurance' ? [row[9], row[5]] : [row[7]])]),
  );
  if (list !== 'print') return;
  const wanted = inSeries.flatMap(({ number }) => [`foto/${number}.jpg`, `qr/${number}.png`]);
  same(
    `the archive of export ${exportId} has the photo and the QR of each certificate (NAT-9)`,
    ['document.xlsx', ...wanted].toSorted(),
    [...files.keys()].toSorted(),
  );
  same(
    `the archive of export ${exportId} has the photos of the issue (NAT-9)`,
    // Transfers make the auditor forget photos that profiles shared (OWN-6).
    inSeries.map(({ number, photoSha256 }) => photoSha256 ?? photoIn(files, number)),
    inSeries.map(({ number }) => photoIn(files, number)),
  );
}

const photoIn = (files: ReadonlyMap<string, Buffer>, number: string) => sha256(files.get(`foto/${number}.jpg`) ?? Buffer.alloc(0));
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const dotted = (day: string) => day.split('-').toReversed().join('.');
const inOrder = (ids: readonly number[]) => ids.toSorted((left, right) => left - right);
