import type { FileDigest } from '../../../http/request/read-upload.ts';
import { query } from '../../../platform/command.ts';
import type { Platform } from '../../../platform/platform.ts';
import { findContractByToken } from '../contracts/queries.ts';
import type { ContractStatus } from '../contracts/states.ts';

/** The public facts of an agreement: nothing of the organizer, no text, no reasons (AGR-15). */
export interface AgreementFacts {
  number: string;
  version: number;
  status: ContractStatus;
  signer: { name: string; position: string };
  signedAt: Date;
  /** Null until the generated PDF is stored. */
  originalSha256: string | null;
  /** The latest signed scan. */
  scan: { sha256: string; storageKey: string; size: number } | null;
  replacedByNumber: string | null;
  /** Now, by the registry's clock. */
  now: Date;
}

/** Only a confirmed agreement is in force (AGR-5). */
export function isInForce({ status }: Pick<AgreementFacts, 'status'>): boolean {
  return status === 'confirmed';
}

/** Reads the facts of a token; null for an unknown one. Both take one statement, by contracts_token_unique. */
export async function readAgreement(platform: Pick<Platform, 'orm' | 'clock'>, token: string): Promise<AgreementFacts | null> {
  return query(platform, async (db, now) => {
    const record = await findContractByToken(db, token);
    if (!record) return null;
    const { contract, replacedByNumber } = record;
    const { scanSha256: sha256, scanStorageKey: storageKey, scanSize: size } = contract;
    return {
      number: contract.number,
      version: contract.version,
      status: contract.status,
      signer: { name: contract.snapshot.signerName, position: contract.snapshot.signerPosition },
      signedAt: contract.signedAt,
      originalSha256: contract.originalSha256,
      scan: sha256 === null || storageKey === null || size === null ? null : { sha256, storageKey, size },
      replacedByNumber,
      now,
    };
  });
}

/** Which of an agreement's two documents a file is. */
export type AgreementDocument = 'original' | 'scan';

/** Compares a file with original and scan by its hash (AGR-10); null when it is neither. */
export function documentOf({ originalSha256, scan }: AgreementFacts, { sha256 }: Pick<FileDigest, 'sha256'>): AgreementDocument | null {
  if (sha256 === scan?.sha256) return 'scan';
  return sha256 === originalSha256 ? 'original' : null;
}
