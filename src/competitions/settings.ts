import type { CrewRules, RegistrationSettings, VehicleField } from './entities.ts';

/** What an organizer sets about registrations; instants are exact, columns are those of the export (decisions.md §6 "Registrations"). */
export interface IntakeSettings {
  opensAt: Date | null;
  /** Null: the start of the event. */
  closesAt: Date | null;
  classes: string[];
  crew: CrewRules;
  vehicleFields: VehicleField[];
  columns: string[];
}

/** Columns that every event has; a vehicle field adds `vehicle.<code>`. */
export const commonColumns = [
  'start_number',
  'name',
  'class',
  'status',
  'licence_number',
  'birth_date',
  'city',
  'phone',
  'team',
  'crew',
] as const;

/** What an event has whose organizer has set nothing: it takes no registrations. */
export const defaultSettings: IntakeSettings = {
  opensAt: null,
  closesAt: null,
  classes: [],
  crew: { roles: [], min: 0, max: 0 },
  vehicleFields: [],
  columns: ['start_number', 'name', 'class'],
};

/** The columns that an organizer may choose for the export. */
export function availableColumns({ vehicleFields }: Pick<RegistrationSettings, 'vehicleFields'>): string[] {
  return [...commonColumns, ...vehicleFields.map(({ code }) => `vehicle.${code}`)];
}
