import { z } from 'zod';
import { dateTime, dateTimeResponse, endDateTime, line } from '../../../http/schemas.ts';
import type { RegistrationSettings } from '../entities.ts';

/** Settings of registrations (EVT-14). A null `closesAt` means the start of the event. */
export type IntakeSettings = Pick<RegistrationSettings, 'opensAt' | 'closesAt' | 'classes' | 'crew' | 'vehicleFields' | 'columns'>;

/** Columns that every event has; a vehicle field adds `vehicle.<code>`. */
const commonColumns = ['start_number', 'name', 'class', 'status', 'licence_number', 'birth_date', 'city', 'phone', 'team', 'crew'] as const;

/** Settings of an event without a row; its intake is closed. */
export const defaultSettings: IntakeSettings = {
  opensAt: null,
  closesAt: null,
  classes: [],
  crew: { roles: [], min: 0, max: 0 },
  vehicleFields: [],
  columns: ['start_number', 'name', 'class'],
};

/** Lists the columns that an organizer may choose for the export. */
export function availableColumns({ vehicleFields }: Pick<RegistrationSettings, 'vehicleFields'>): string[] {
  return [...commonColumns, ...vehicleFields.map(({ code }) => `vehicle.${code}`)];
}

const most = { classes: 50, roles: 20, crew: 20, vehicleFields: 30 };

const noRepeats = (items: readonly string[]) => new Set(items).size === items.length;
const repeated = 'must not contain duplicates';

const classesText = 'A registration is in one of these classes';
const crewText = 'Other registrations of the event that belong to a registration';
const rolesText = 'Roles of the members of a crew';
const fieldsText = 'What a registration says about its vehicle';
const requiredText = 'Whether a submission must have a value';

const vehicleField = z.strictObject({
  code: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,29}$/, 'must be lower-case letters, digits and _, starting with a letter')
    .meta({ description: 'The column of the export is `vehicle.<code>`', examples: ['chassis'] }),
  title: line(100).meta({ examples: ['Chassis'] }),
  required: z.boolean().describe(requiredText),
});

const crew = z
  .strictObject({
    roles: z.array(line(60)).max(most.roles).refine(noRepeats, repeated).describe(rolesText),
    min: z.int().min(0).max(most.crew).describe('Fewest members'),
    max: z.int().min(0).max(most.crew).describe('Most members; 0: no crew'),
  })
  .superRefine(({ roles, min, max }, context) => {
    if (min > max) context.addIssue({ code: 'custom', path: ['min'], message: 'must not be above max' });
    if (max > 0 && roles.length === 0)
      context.addIssue({ code: 'custom', path: ['roles'], message: 'must not be empty when max is above 0' });
  });

/** Replaces all settings; an absent field gets its default. */
export const settingsBody = z
  .strictObject({
    opens_at: dateTime
      .nullable()
      .default(null)
      .describe('Opening of the intake; a day alone means its first instant; null: the intake does not open'),
    closes_at: endDateTime
      .nullable()
      .default(null)
      .describe(
        'Closing of the intake, at the latest the end of the event; a day alone means its last second; null: the start of the event',
      ),
    classes: z
      .array(line(100))
      .min(1)
      .max(most.classes)
      .refine(noRepeats, repeated)
      .meta({ description: classesText, examples: [['Mini', 'KZ-2']] }),
    crew: crew.default(defaultSettings.crew).describe(crewText),
    vehicle_fields: z
      .array(vehicleField)
      .max(most.vehicleFields)
      .refine((fields) => noRepeats(fields.map(({ code }) => code)), 'must not contain a code twice')
      .default([])
      .describe(fieldsText),
    columns: z
      .array(z.string().max(60))
      .min(1)
      .max(60)
      .refine(noRepeats, repeated)
      .default(defaultSettings.columns)
      .meta({
        description: 'Columns of the export, in order: values of `available_columns`',
        examples: [['start_number', 'name', 'vehicle.chassis']],
      }),
  })
  .superRefine(({ columns, vehicle_fields: vehicleFields }, context) => {
    const available = availableColumns({ vehicleFields });
    for (const [index, column] of columns.entries())
      if (!available.includes(column))
        context.addIssue({ code: 'custom', path: ['columns', index], message: 'is not an available column' });
  })
  .meta({ id: 'RegistrationSettings' });

/** Settings that a registration must fit. */
export const settingsOfRows = {
  classes: z.array(z.string()).describe(classesText),
  crew: z
    .object({
      roles: z.array(z.string()).describe(rolesText),
      min: z.int().describe('Fewest members'),
      max: z.int().describe('Most members; 0: no crew'),
    })
    .describe(crewText),
  vehicle_fields: z
    .array(z.object({ code: z.string(), title: z.string(), required: z.boolean().describe(requiredText) }))
    .describe(fieldsText),
};

export const settingsResponse = z
  .object({
    opens_at: dateTimeResponse.nullable(),
    closes_at: dateTimeResponse.describe('As set, or the start of the event'),
    ...settingsOfRows,
    columns: z.array(z.string()).describe('Columns of the export, in order'),
    available_columns: z.array(z.string()).describe('All columns that may be chosen'),
  })
  .meta({ id: 'EventRegistrationSettings' });
