import { DomainError, type FieldProblem } from '../../errors.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { inList } from '../../platform/database/database.ts';
import { defaultSettings, findEvent } from '../competitions/index.ts';
import { crewProblems } from './check-row.ts';
import type { RegistrationRecord } from './queries.ts';
import { isLiving } from './states.ts';

/**
 * Requires that the crew of a registration still holds (REG-14): its members, their roles and their number by the settings of now.
 *
 * Locks the members, so that none withdraws before the decision is written. A registration without a crew passes: the earlier flow has none.
 *
 * @throws {DomainError} crew_not_valid with the problems, each at the path of the record's `crew`
 */
export async function requireCrew(ctx: CommandContext, record: RegistrationRecord): Promise<void> {
  const { id, registration, crew } = record;
  if (crew.length === 0) return;
  const members = await ctx.db
    .selectFrom('registrations')
    .select(['id', 'eventId', 'ownerId', 'status', 'submittedAt'])
    .where('id', '=', inList(crew.map(({ registrationId }) => registrationId)))
    .orderBy('id')
    .forShare()
    .execute();
  const event = await findEvent(ctx.db, registration.eventId);
  const { crew: rules } = event?.settings ?? defaultSettings;
  const usable = members.filter(
    ({ eventId, ownerId, status, submittedAt }) =>
      eventId === registration.eventId && isLiving(status) && (ownerId === registration.ownerId || submittedAt !== null),
  );
  const statuses = new Map(members.map((member) => [member.id, member.status]));
  const problems = crewProblems(
    crew.map(({ role, registrationId }) => ({ role, registration_id: registrationId })),
    { own: id, rules, members: new Set(usable.map((member) => member.id)), isWhole: true },
  ).map(({ field, code, message }): FieldProblem & { registration_id?: number } => {
    const member = crew[Number(field.split('.')[1])]?.registrationId;
    const status = member === undefined ? undefined : statuses.get(member);
    if (code !== 'not_found' || status === undefined || isLiving(status))
      return { path: field, code, message, ...(member === undefined ? {} : { registration_id: member }) };
    return { path: field, code: status, message: `the registration is ${status}`, registration_id: member ?? 0 };
  });
  if (problems.length > 0) throw new DomainError('crew_not_valid', { fields: problems });
}
