import type { ApplicationStatus } from '../../applications/index.ts';
import type { Event, EventStage, RegistrationSettings } from '../entities.ts';
import type { StageName } from './states.ts';

/**
 * An event with its stages, settings and fee. In a command `event` and `stages` are the locked rows (`lockEvent`), so later readers of
 * the record see the command's changes.
 */
export interface EventRecord {
  id: number;
  event: Readonly<Event>;
  stages: Record<StageName, Readonly<EventStage>>;
  /** Null until the organizer sets them; the event then takes no registrations. */
  settings: Readonly<RegistrationSettings> | null;
  /** The fee application; null until the details are first submitted (EVT-4). */
  fee: EventFee | null;
}

/** `paid`: nothing is left to pay, also for a fee of zero. */
export interface EventFee {
  id: number;
  status: ApplicationStatus;
  paid: boolean;
  paidAt: Date | null;
}
