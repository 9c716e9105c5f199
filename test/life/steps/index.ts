import { accountSteps } from './accounts.ts';
import { administratorSteps } from './administrators.ts';
import { agreementSteps } from './agreements.ts';
import { athleteSteps, registerStep } from './athletes.ts';
import { bankSteps } from './bank.ts';
import { botFaultSteps, botSteps } from './messages/bot.ts';
import { catalogSteps } from './applications/catalog.ts';
import { chatSteps } from './messages/chats.ts';
import { contactSteps } from './messages/contact.ts';
import { clerkSteps } from './clerks.ts';
import { deputySteps } from './deputies.ts';
import { faultSteps } from './faults.ts';
import { fileSteps } from './verification/files.ts';
import { formSteps } from './http/forms.ts';
import { gateSteps } from './verification/gates.ts';
import { inboxSteps } from './messages/inbox.ts';
import { importSteps } from './imports/imports.ts';
import { incidentSteps } from './incidents.ts';
import { licenceSteps } from './licences.ts';
import { limitSteps } from './http/limits.ts';
import { listSteps } from './http/lists.ts';
import { mailSteps } from './messages/mails.ts';
import { nationalSteps } from './national.ts';
import { paperSteps } from './applications/papers.ts';
import { participantSteps } from './participants.ts';
import { readingStep } from './readers.ts';
import { registrationDecisionSteps } from './registration-decisions.ts';
import { registrationSteps } from './registrations.ts';
import { repeatSteps } from './repeats.ts';
import { organizerClerkSteps } from './organizers/organizer-clerks.ts';
import { organizerTimeSteps } from './organizers/organizer-time.ts';
import { organizerSteps } from './organizers/organizers.ts';
import { seasonSteps } from './organizers/seasons.ts';
import { profileSteps } from './profiles/profiles.ts';
import { processSteps } from './processes.ts';
import { programSteps } from './programs.ts';
import { secondFactorSteps } from './second-factor.ts';
import { sharingSteps } from './verification/sharing.ts';
import type { Step } from './step.ts';
import { streamSteps } from './messages/streams.ts';
import { thiefSteps } from './thieves.ts';
import { timeSteps } from './time.ts';
import { transferSteps } from './transfers.ts';
import { webhookSteps } from './webhooks.ts';

/** Steps that may meet a fault: their requests can be repeated by their key. */
const ordinarySteps = [
  ...athleteSteps,
  ...profileSteps,
  ...paperSteps,
  ...organizerSteps,
  ...agreementSteps,
  ...clerkSteps,
  ...organizerClerkSteps,
  ...bankSteps,
];

const writingSteps: readonly Step[] = [
  ...ordinarySteps,
  registerStep,
  ...administratorSteps,
  ...catalogSteps,
  ...processSteps,
  ...incidentSteps,
  ...licenceSteps,
  ...gateSteps,
  ...sharingSteps,
  ...mailSteps,
  ...botSteps,
  ...streamSteps,
  ...inboxSteps,
  ...chatSteps,
  ...contactSteps,
  ...fileSteps,
  ...registrationSteps,
  ...seasonSteps,
  ...registrationDecisionSteps,
  ...participantSteps,
  ...importSteps,
  ...nationalSteps,
  ...programSteps,
  ...webhookSteps,
  ...accountSteps,
  ...secondFactorSteps,
  ...deputySteps,
  ...transferSteps,
  ...thiefSteps,
  ...repeatSteps,
  ...formSteps,
  ...listSteps,
  ...limitSteps,
  ...timeSteps,
  ...organizerTimeSteps,
  ...faultSteps(ordinarySteps),
  ...botFaultSteps(ordinarySteps),
];

/** Everything that happens in a life. Readers are half of the traffic. */
export const steps: readonly Step[] = [...writingSteps, readingStep(writingSteps.reduce((sum, { weight }) => sum + weight, 0))];
