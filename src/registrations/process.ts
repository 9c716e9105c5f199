import { decideRegistrationUpdate, withdrawRegistrationUpdate } from '../../workflows/event-registration.contract.ts';
import { reasonWords } from '../http/schemas.ts';
import { defineProcess, on } from '../platform/workflows/define-process.ts';
import { dueAtOf } from '../platform/workflows/due-at.ts';
import { decideRegistration } from './decide-registration.ts';
import { describeRegistration } from './describe-registration.ts';
import { listLiving } from './process-queries.ts';
import { findRegistrations } from './queries.ts';
import { reconsiderRegistration } from './reconsider-registration.ts';
import type { RegistrationRecord } from './record.ts';
import { withdrawRegistration } from './withdraw-registration.ts';

const dueAt = dueAtOf('registrations');

/** A registration from its draft until its event has ended (design.md "Processes"). */
export const registrationProcess = defineProcess<RegistrationRecord>({
  kind: 'registration',
  workflow: 'eventRegistration',
  queue: 'competitions',
  summary: (id) => `Registration ${id}: decision, eligibility until the event has ended`,
  read: findRegistrations,
  describe: describeRegistration,
  since: ({ registration, history }) => history.at(-1)?.at ?? registration.createdAt,
  reconsider: reconsiderRegistration,
  dueAt: { of: ({ registration }) => registration.dueAt, save: dueAt.save },
  due: dueAt.list,
  living: listLiving,
  commands: [on(decideRegistrationUpdate, decideRegistration, reasonWords), on(withdrawRegistrationUpdate, withdrawRegistration)],
});
