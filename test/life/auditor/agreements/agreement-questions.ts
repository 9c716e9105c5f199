import { createHash } from 'node:crypto';
import type { Contract } from '../competitions/competition-records.ts';
import { isLivingEvent } from '../competitions/competitions-of.ts';
import type { Inquiry } from '../inquiry.ts';
import { dayOf } from '../days.ts';
import { ownerOf } from '../model.ts';

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** What an agreement's organizer, an administrator and everybody see of it. */
export async function askContract(inquiry: Inquiry, contract: Contract): Promise<void> {
  const { model, asOwner, asAdministrator, same } = inquiry;
  const { id } = contract;
  const event = model.events.get(contract.eventId);
  if (!event) return;
  const ownerId = ownerOf(model, event.profileId);
  const record = (await asAdministrator('GET /contracts/{id}', { params: { id } })).data;
  same(`agreement ${id} stands as it was left (AGR-2, AGR-3, AGR-5, AGR-6, AGR-14)`, expectedRecord(contract), shownRecord(record));
  const year = dayOf(new Date(record.created_at)).slice(0, 4);
  same(`agreement ${id} has a number of the year in which it was made, in UTC+5 (AGR-2, API-4)`, `A-${year}`, contract.number.slice(0, 6));
  const waiting = isLivingEvent(event) ? (partyOf[contract.status] ?? null) : null;
  same(`agreement ${id} waits for who can act (AGR-7, AGR-12)`, waiting, record.process.waiting_for);
  const own = await asOwner(ownerId, 'GET /contracts/{id}', { params: { id } });
  if (own.status === 200)
    same(
      `the organizer sees agreement ${id} as an administrator does`,
      { ...record, process: undefined },
      { ...own.data, process: undefined },
    );
  await askContractQueue(inquiry, contract, { isEventLiving: isLivingEvent(event), sentAt: record.scan?.uploaded_at ?? null });
  await askFiles(inquiry, contract, ownerId);
  await askVerification(inquiry, contract);
}

const partyOf: Partial<Record<Contract['status'], string>> = { generated: 'owner', rejected: 'owner', pending: 'administrator' };

function expectedRecord(contract: Contract) {
  const { eventId, number, version, status, templateId, signer, pages, originalSha256, scanSha256, token, reason } = contract;
  return {
    event_id: eventId,
    number,
    version,
    status,
    template_id: templateId,
    signer,
    pages,
    original_sha256: originalSha256,
    scan_sha256: scanSha256,
    verification_token: token,
    reason,
    replaces_id: contract.replacesId,
    replaced_by_id: contract.replacedById,
  };
}

function shownRecord(record: Record<string, unknown>) {
  return Object.fromEntries(fields.map((name) => [name, record[name]]));
}

const fields = [
  'event_id',
  'number',
  'version',
  'status',
  'template_id',
  'signer',
  'pages',
  'original_sha256',
  'scan_sha256',
  'verification_token',
  'reason',
  'replaces_id',
  'replaced_by_id',
];

/** A scan waits while its event is not over; what an organizer ended waits until it was seen (AGR-7, AGR-17). */
async function askContractQueue(
  { listed, same }: Inquiry,
  { id, status, isUnseen }: Contract,
  { isEventLiving, sentAt }: { isEventLiving: boolean; sentAt: string | null },
): Promise<void> {
  const queued = async (kind: string) => {
    const rows = await listed<{ id: number; waiting_since: string }>('GET /admin/queue', `?kind=${kind}`);
    return rows.find((row) => row.id === id);
  };
  const waiting = await queued('contract');
  same(
    `the queue holds agreement ${id} while its scan can be decided on (AGR-7, REV-3)`,
    status === 'pending' && isEventLiving,
    waiting !== undefined,
  );
  if (waiting) same(`agreement ${id} waits in the queue since its scan was sent (REV-3)`, sentAt, waiting.waiting_since);
  const isQueued = (await queued('contract_ended')) !== undefined;
  same(`the queue holds agreement ${id} that its organizer ended until it was seen (AGR-17)`, isUnseen, isQueued);
}

/** The generated PDF never changes; the PDF is the scan once that was confirmed (AGR-3, AGR-5). */
async function askFiles(inquiry: Inquiry, contract: Contract, ownerId: number): Promise<void> {
  const { asOwner, same } = inquiry;
  const { id, originalSha256, scanSha256, wasConfirmed } = contract;
  const original = await asOwner(ownerId, 'GET /contracts/{id}/original', { params: { id } });
  if (original.status !== 200) return;
  same(`the generated PDF of agreement ${id} never changes (AGR-3)`, originalSha256, sha256(original.bytes));
  const pdf = await asOwner(ownerId, 'GET /contracts/{id}/pdf', { params: { id } });
  same(
    `the PDF of agreement ${id} is the scan once it was confirmed (AGR-5)`,
    wasConfirmed ? scanSha256 : originalSha256,
    sha256(pdf.bytes),
  );
  await askComparison(inquiry, contract, [...(wasConfirmed ? ([['scan', pdf.bytes]] as const) : []), ['original', original.bytes]]);
}

/** Verification tells original and scan from any other file (AGR-10). */
async function askComparison(
  { publicly, same }: Inquiry,
  { id, token, status, number }: Contract,
  files: readonly (readonly ['original' | 'scan', Buffer])[],
): Promise<void> {
  const ask = async (bytes: Buffer) =>
    (await publicly('POST /contracts/verify-file', { file: { bytes, fields: { token }, name: 'agreement.pdf' } })).data;
  const common = { number, status, valid: status === 'confirmed' };
  for (const [document, bytes] of files) {
    const question = `the ${document} of agreement ${id} is told from every other file (AGR-10)`;
    same(question, { ...common, match: true, document, sha256: sha256(bytes) }, await ask(bytes));
    const altered = Buffer.concat([bytes, Buffer.from('\n')]);
    same(question, { ...common, match: false, document: null, sha256: sha256(altered) }, await ask(altered));
  }
}

/** Everybody reads whether it is in force, and nothing of the organizer (AGR-5, AGR-6, AGR-15). */
async function askVerification({ model, publicly, same }: Inquiry, contract: Contract): Promise<void> {
  const { id, token, status, number, version, signer, originalSha256, scanSha256, replacedById } = contract;
  const { checked_at: _, signed_at: __, ...answer } = (await publicly('GET /contracts/verify/{token}', { params: { token } })).data;
  const successor = replacedById === null ? undefined : model.contracts.get(replacedById);
  same(
    `the QR of agreement ${id} says whether it is in force, and no more (AGR-5, AGR-6, AGR-15)`,
    {
      status,
      valid: status === 'confirmed',
      number,
      version,
      signer,
      original_sha256: originalSha256,
      scan_sha256: scanSha256,
      ...(successor ? { replaced_by: successor.number } : {}),
    },
    answer,
  );
  const pdf = await publicly('GET /contracts/verify/{token}/pdf', { params: { token } });
  same(`the scan of agreement ${id} is public only while it is in force (AGR-5)`, status === 'confirmed' ? 200 : 404, pdf.status);
  if (pdf.status === 200) same(`the public PDF of agreement ${id} is the confirmed scan (AGR-5)`, scanSha256, sha256(pdf.bytes));
}

/** Numbers of a year have no gap and no repeat (AGR-2). */
export async function askNumbers({ model, same }: Inquiry): Promise<void> {
  const years = Map.groupBy(model.contracts.values(), ({ number }) => number.split('-')[1] ?? '');
  for (const [year, contracts] of years) {
    const expected = contracts.map((_, index) => `A-${year}-${String(index + 1).padStart(5, '0')}`);
    same(`the agreements of ${year} are numbered without a gap (AGR-2)`, expected, contracts.map(({ number }) => number).toSorted());
  }
}
