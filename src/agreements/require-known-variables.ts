import { fieldProblem } from '../errors.ts';
import { findUnknownVariables } from './template-variables.ts';

/** Wrong names that one refusal tells; whoever has more begins with these. */
const mostTold = 50;

/** @throws {DomainError} validation_failed, naming every variable of the text that there is none of (decisions.md §7) */
export function requireKnownVariables(body: string): void {
  const unknown = findUnknownVariables(body);
  if (unknown.length === 0) return;
  const told = unknown.slice(0, mostTold).map((name) => `{{${name}}}`);
  const more = unknown.length > mostTold ? ` and ${unknown.length - mostTold} more` : '';
  throw fieldProblem('body.body', 'unknown_variable', `has variables that there are none of: ${told.join(', ')}${more}`);
}
