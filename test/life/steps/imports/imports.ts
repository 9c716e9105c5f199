import type { Step } from '../step.ts';
import { participantSheetSteps } from './participant-sheets.ts';
import { registrationSheetSteps } from './registration-sheets.ts';

/** Accounts that send sheets of registrations, and organizers who send results. */
export const importSteps: readonly Step[] = [...registrationSheetSteps, ...participantSheetSteps];
