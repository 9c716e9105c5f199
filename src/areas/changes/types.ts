import { type ChangeAction, listActions } from '../audit/index.ts';

const prefix = 'registry.';
const suffix = '.v1';

/** Type of the change that tests a webhook; the log has none of it. */
export const testType = `${prefix}webhook.tested${suffix}`;

/** Returns the CloudEvents type of an audited action. */
export function typeOf(action: string): string {
  return `${prefix}${action}${suffix}`;
}

/**
 * Returns the actions that a filter names.
 * @param filter a type, `registry.<record>.*` or `*`
 * @returns null for an unknown type or record
 */
export function actionsOf(filter: string): readonly ChangeAction[] | null {
  const actions = listActions();
  if (filter === '*') return actions;
  const chosen = actions.filter((action) => typeOf(action) === filter || `${prefix}${recordOf(action)}.*` === filter);
  return chosen.length > 0 ? chosen : null;
}

/** Returns the record of an action: the part before the dot. */
export function recordOf(action: string): string {
  return action.slice(0, action.indexOf('.'));
}
