import type { DocumentType } from './kinds.ts';

/**
 * One requirement of a service: any of `types` satisfies it (`identity` and `passport` both are an identity document).
 * `onlyMinors`: asked only of people under 18 on the day it is checked (decisions.md §3).
 */
export interface RequiredDocument {
  code: 'identity_document' | DocumentType;
  types: DocumentType[];
  onlyMinors: boolean;
}
