import type { ErrorComponentProps } from '@tanstack/react-router';
import { Problem } from './problem.tsx';
import { queries } from './queries.ts';

/** In place of a page, or a part of one, that could not be read: says why, and reads it again. */
export function RefusedPart({ error, reset }: ErrorComponentProps) {
  const readAgain = () => {
    void queries.resetQueries({ predicate: ({ state }) => state.status === 'error' });
    reset();
  };
  return <Problem error={error} onRetry={readAgain} />;
}
