export type { KeySet, PublicKey } from './cose.ts';
export type { Credential } from './credential.ts';
export { readScannedText, type ScannedText } from './scanned-text.ts';
export { type InvalidReason, type UnknownReason, type Verdict, type VerificationMaterial, verifyCredential } from './verify-credential.ts';
