import { DomainError } from '../../../errors.ts';
import { access, type SignedIn } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { fileStatuses, sendFile } from '../../../http/response/send-file.ts';
import { downloadQuery, idParams } from '../../../http/schemas.ts';
import { query } from '../../../platform/commands/command.ts';
import type { Caller } from '../../../platform/commands/context.ts';
import type { Platform } from '../../../platform/platform.ts';
import { awaitLongWork } from '../../../platform/workflows/send-command.ts';
import { auditRead } from '../../audit/index.ts';
import type { Contract } from '../entities.ts';
import { requireContractReader } from './policy.ts';
import { agreementProcess } from './process.ts';
import { findContract } from './queries.ts';
import { wasConfirmed } from './states.ts';

const tag = 'Agreements';

/** A PDF of an agreement to download. */
interface AgreementFile {
  document: 'original' | 'scan';
  key: string;
  size: number;
  sha256: string;
}

interface DocumentRequest {
  platform: Platform;
  principal: SignedIn;
  caller: Caller;
  id: number;
  /** Names the route. */
  part: 'preview' | 'original' | 'pdf';
  isDownload: boolean;
  header(name: string): string | undefined;
}

/** Sends a PDF to a reader of the agreement and audits the hash of the sent bytes (AGR-16). */
async function sendDocument({ platform, principal, caller, id, part, isDownload, header }: DocumentRequest) {
  const { contract } = await query(platform, async (db, now) =>
    requireContractReader({ principal, caller, db, now }, await findContract(db, id), part),
  );
  const scan = part === 'pdf' ? confirmedScan(contract) : null;
  const file = scan ?? (await requireOriginal(platform, contract, caller.requestId));
  const { document, sha256, key, size } = file;
  await query(platform, (db, now) =>
    auditRead({ ...caller, db, now }, 'contract.downloaded', { kind: 'contract', id }, { part, document, sha256 }),
  );
  const { storage } = platform;
  const name = `${contract.number}${document === 'scan' ? '-signed' : ''}.pdf`;
  return sendFile({ storage, key, size, sha256, mime: 'application/pdf', name, download: isDownload, header });
}

/** Returns the scan once the federation has confirmed it; until then the generated PDF counts (AGR-5). */
function confirmedScan(contract: Readonly<Contract>): AgreementFile | null {
  const { scanStorageKey, scanSha256, scanSize } = contract;
  if (!wasConfirmed(contract) || scanStorageKey === null || scanSha256 === null || scanSize === null) return null;
  return { document: 'scan', key: scanStorageKey, size: scanSize, sha256: scanSha256 };
}

function originalOf({ originalStorageKey, originalSha256, originalSize }: Readonly<Contract>): AgreementFile | null {
  if (originalStorageKey === null || originalSha256 === null || originalSize === null) return null;
  return { document: 'original', key: originalStorageKey, size: originalSize, sha256: originalSha256 };
}

/** Returns the generated PDF; asks the process to make a missing one. @throws {DomainError} workflow_unavailable, service_unavailable; cannot_be_made */
async function requireOriginal(platform: Platform, contract: Readonly<Contract>, requestId: string): Promise<AgreementFile> {
  const made = originalOf(contract);
  if (made) return made;
  await awaitLongWork(platform, agreementProcess, contract.id, requestId);
  const record = await query(platform, (db) => findContract(db, contract.id));
  const file = record && originalOf(record.contract);
  if (!file) throw new DomainError('service_unavailable');
  return file;
}

function fileRoute(part: DocumentRequest['part'], name: string, summary: string, description: string): Route {
  return defineRoute({
    name,
    method: 'GET',
    path: `/contracts/:id/${part}`,
    access: access.scope('events:read'),
    auditsReads: true,
    tag,
    summary,
    description: `${description} For the organizer and for administrators, whose keys also need \`admin:read\`. \`?download=1\` sends it as a download. 503 until it is generated, or while the storage is unavailable: retry.`,
    request: { params: idParams, query: downloadQuery },
    response: { content: ['application/pdf'], otherStatuses: fileStatuses },
    errors: ['cannot_be_made', 'range_not_satisfiable', 'service_unavailable', 'workflow_unavailable'],
    handler: ({ platform, principal, caller, params, query: { download }, header }) =>
      sendDocument({ platform, principal, caller, id: params.id, part, isDownload: download === '1', header }),
  });
}

export const contractFileRoutes: Route[] = [
  fileRoute('preview', 'previewContract', 'Preview the agreement', 'The generated PDF; it never changes.'),
  fileRoute(
    'original',
    'getContractOriginal',
    'Get the generated agreement',
    "With the federation's signature and stamp, without the organizer's. It never changes and stays after replacement or cancellation.",
  ),
  fileRoute(
    'pdf',
    'getContractPdf',
    'Get the valid document of the agreement',
    'The generated PDF until the federation confirms the signed scan, then that scan. It stays after replacement or cancellation.',
  ),
];
