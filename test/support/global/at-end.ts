/** Closes the shared registry of a run without test processes (`../use-registry.ts`); a test process just exits. */
export const atEnd: { close?: () => Promise<void> } = {};
