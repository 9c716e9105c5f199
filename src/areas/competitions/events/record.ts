import type { ApplicationStatus } from '../../applications/index.ts';
import type { Event, EventStage, RegistrationSettings } from '../entities.ts';
import type { StageName } from './states.ts';

/**
 * An event together with its stages, its settings and its fee: what was read of it once. In a command `event` and `stages` are the locked
 * rows themselves (`lock-event.ts`), so what the command changes is seen by whoever is given the record.
 */
export interface EventRecord extends EventFacts {
  id: number;
  event: Readonly<Event>;
  stages: Record<StageName, Readonly<EventStage>>;
}

/** What an event has beside its own rows; read by one statement. */
export interface EventFacts {
  /** Null: the organizer has set nothing, and the event takes no registrations. */
  settings: Readonly<RegistrationSettings> | null;
  /** The application by which the fee is paid; null until the details are first submitted. */
  fee: EventFee | null;
}

/** `paid`: nothing is left to pay, also where the fee costs nothing. */
export interface EventFee {
  id: number;
  status: ApplicationStatus;
  paid: boolean;
  paidAt: Date | null;
}
