import type { Step } from '../steps/step.ts';
import { accountStories, transferStories } from './accounts.ts';
import { applicationStories } from './applications.ts';
import { callerStories } from './callers.ts';
import { competitionStories } from './competitions.ts';
import { importStories } from './imports.ts';
import { moneyStories } from './money.ts';
import { paperStories } from './papers.ts';
import { registrationStories } from './registrations.ts';
import { roundStories } from './rounds.ts';

/** Stories of all areas: each leads to the rarer edges of its records. */
export const stories: readonly Step[] = [
  ...registrationStories,
  ...competitionStories,
  ...importStories,
  ...paperStories,
  ...applicationStories,
  ...moneyStories,
  ...callerStories,
  ...accountStories,
  ...transferStories,
  ...roundStories,
];
