import { z } from 'zod';
import { dateTime, dateTimeResponse, endDateTime, line } from '../../../http/schemas.ts';
import type { ClassLimit, RegistrationSettings } from '../entities.ts';
import type { PlaceCount } from './dependents.ts';

/** Settings of registrations (EVT-14). A null `closesAt` means the start of the event. */
export type IntakeSettings = Pick<
  RegistrationSettings,
  'opensAt' | 'closesAt' | 'classes' | 'classLimits' | 'crew' | 'vehicleFields' | 'columns'
>;

/** Columns that every event has; a vehicle field adds `vehicle.<code>`. */
const commonColumns = ['start_number', 'name', 'class', 'status', 'licence_number', 'birth_date', 'city', 'phone', 'team', 'crew'] as const;

/** Settings of an event without a row; its intake is closed. */
export const defaultSettings: IntakeSettings = {
  opensAt: null,
  closesAt: null,
  classes: [],
  classLimits: [],
  crew: { roles: [], min: 0, max: 0 },
  vehicleFields: [],
  columns: ['start_number', 'name', 'class'],
};

/** Hours that an offered place is kept unless the organizer says otherwise (EVT-22). */
const defaultOfferHours = 48;

/** Returns the places of a class; null for one that the settings do not have (EVT-22). */
export function limitOf({ classes, classLimits }: Pick<IntakeSettings, 'classes' | 'classLimits'>, name: string): ClassLimit | null {
  if (!classes.includes(name)) return null;
  return classLimits.find((limit) => limit.name === name) ?? { name, capacity: null, waitingList: false, offerHours: defaultOfferHours };
}

/** Lists the columns that an organizer may choose for the export. */
export function availableColumns({ vehicleFields }: Pick<RegistrationSettings, 'vehicleFields'>): string[] {
  return [...commonColumns, ...vehicleFields.map(({ code }) => `vehicle.${code}`)];
}

const most = { classes: 50, capacity: 10_000, roles: 20, crew: 20, vehicleFields: 30 };

const noRepeats = (items: readonly string[]) => new Set(items).size === items.length;
const repeated = 'must not contain duplicates';

const classesText = 'A registration is in one of these classes';
const crewText = 'Other registrations of the event that belong to a registration';
const rolesText = 'Roles of the members of a crew';
const fieldsText = 'What a registration says about its vehicle';
const requiredText = 'Whether a submission must have a value';

const classLimit = z
  .strictObject({
    name: line(100),
    capacity: z.int().min(1).max(most.capacity).nullable().default(null).describe('Places of the class; null: without limit'),
    waiting_list: z
      .boolean()
      .default(false)
      .describe('Whether a submission to the full class waits for a place; otherwise it is refused with `class_full`'),
    offer_hours: z.int().min(1).max(168).default(defaultOfferHours).describe('How long an offered place is kept'),
  })
  .refine(({ capacity, waiting_list: waits }) => capacity !== null || !waits, { message: 'needs a capacity', path: ['waiting_list'] });

const nameOf = (entry: z.output<typeof classLimit> | string) => (typeof entry === 'string' ? entry : entry.name);

/** Splits the classes of a request into their names and their places; a bare string is a class without limit (EVT-22). */
export function readClasses(entries: z.output<typeof settingsBody>['classes']): Pick<IntakeSettings, 'classes' | 'classLimits'> {
  const limits = entries.flatMap((entry) => (typeof entry === 'string' ? [] : [entry]));
  return {
    classes: entries.map(nameOf),
    classLimits: limits.map(({ name, capacity, waiting_list: waitingList, offer_hours: offerHours }) => ({
      name,
      capacity,
      waitingList,
      offerHours,
    })),
  };
}

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
      .array(z.union([line(100), classLimit]))
      .min(1)
      .max(most.classes)
      .refine((entries) => noRepeats(entries.map(nameOf)), repeated)
      .meta({
        description: `${classesText}; a bare string is a class without limit`,
        examples: [['Mini', { name: 'KZ-2', capacity: 30, waiting_list: true, offer_hours: 48 }]],
      }),
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

/** How full each class is, for visitors and for athletes who choose (REG-20). */
export const placesResponse = z
  .array(
    z
      .object({
        class: z.string().describe('A class of the settings'),
        capacity: z.int().nullable().describe('Null: without limit'),
        taken: z.int().describe('Submitted, returned and approved registrations, and offered places'),
        waiting: z.int().describe('Registrations in the line'),
      })
      .meta({ id: 'ClassPlaces' }),
  )
  .describe('Places by class, in the order of the settings; empty before they are set');

export type ClassPlaces = z.output<typeof placesResponse>[number];

export function presentPlaces(
  { classes, classLimits }: Pick<IntakeSettings, 'classes' | 'classLimits'>,
  counts: ReadonlyMap<string, PlaceCount>,
): ClassPlaces[] {
  return classes.map((name) => {
    const { taken, waiting } = counts.get(name) ?? { taken: 0, waiting: 0 };
    return { class: name, capacity: limitOf({ classes, classLimits }, name)?.capacity ?? null, taken, waiting };
  });
}

export const settingsResponse = z
  .object({
    opens_at: dateTimeResponse.nullable(),
    closes_at: dateTimeResponse.describe('As set, or the start of the event'),
    ...settingsOfRows,
    class_limits: z
      .array(
        z.object({
          name: z.string(),
          capacity: z.int().nullable().describe('Places of the class; null: without limit'),
          waiting_list: z.boolean().describe('Whether a submission to the full class waits for a place'),
          offer_hours: z.int().describe('How long an offered place is kept'),
        }),
      )
      .describe('The same classes with their places'),
    columns: z.array(z.string()).describe('Columns of the export, in order'),
    available_columns: z.array(z.string()).describe('All columns that may be chosen'),
  })
  .meta({ id: 'EventRegistrationSettings' });
