import { DomainError } from '../../errors.ts';
import { networkOf } from '../../http/request/client-address.ts';
import type { UploadedFile } from '../../http/request/read-upload.ts';
import type { Platform } from '../../platform/platform.ts';
import { baseUrl } from '../../registry/config.ts';
import { waitingForInspection } from '../files/index.ts';
import type { VehicleField } from '../competitions/index.ts';
import type { ImportKind } from './entities.ts';
import * as participants from './participants/columns.ts';
import * as registrations from './registrations/columns.ts';
import { type ReadEntries, readEntries } from './sheet/entries.ts';

/** A sent file, with what its columns depend on. */
export interface ReceivedFile {
  file: UploadedFile;
  ownerId: number;
  ip: string | null;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
}

/**
 * Reads the rows of a file in a process of its own (IMP-4).
 * @throws {DomainError} file_rejected with the reason; rate_limited as an upload; service_unavailable
 * @throws the reason of `signal`, when it is aborted
 */
export async function receiveFile(
  platform: Platform,
  { file, ownerId: owner, ip, signal }: ReceivedFile,
  kind: ImportKind,
  vehicleFields: readonly VehicleField[],
): Promise<ReadEntries> {
  const reading = await waitingForInspection(() =>
    platform.inspector.readSheet({ path: file.path, owner, network: networkOf(ip), signal }),
  );
  if (!reading.ok) throw new DomainError('file_rejected', { reason: reading.code }, reading.message);
  const layout =
    kind === 'registrations'
      ? {
          columns: registrations.registrationColumns(vehicleFields),
          identifying: registrations.identifyingColumns,
          keyOf: registrations.registrationKey,
        }
      : { columns: participants.participantColumns, identifying: participants.identifyingColumns, keyOf: participants.participantKey };
  const read = readEntries(reading.sheets, layout);
  if ('problem' in read) throw new DomainError('file_rejected', { reason: read.problem }, read.message);
  if (kind === 'registrations') return read;
  const address = baseUrl(platform.config);
  return { ...read, entries: read.entries.map((entry) => participants.withoutLink(entry, address)) };
}
