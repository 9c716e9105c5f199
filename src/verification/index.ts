export { readCertificate } from './read-certificate.ts';
export type { CertificateFacts } from './read-certificate.ts';
export { verificationRoutes } from './routes.ts';
export { stateOn, verificationStates } from './validity.ts';
export type { ValidityFacts, VerificationState } from './validity.ts';
