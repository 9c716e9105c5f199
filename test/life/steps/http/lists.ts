import { isDeepStrictEqual } from 'node:util';
import type { Random } from '../../../support/random.ts';
import { refusalOfBrowser } from '../../auditor/accounts/rights.ts';
import type { Person, World } from '../../world.ts';
import type { Step } from '../step.ts';
import { signedIn } from './forms.ts';

/** Own lists, and those of administrators whose reading leaves no row in the audit. */
const ownLists = [
  'GET /files',
  'GET /applications',
  'GET /invoices',
  'GET /events',
  'GET /contracts',
  'GET /event-registrations',
  'GET /notifications',
  'GET /api-keys',
  'GET /account/sessions',
] as const;

const longestWhole = 100;
const mostPages = 4;

/** Lists page by page, and pages that are not there. */
export const listSteps: readonly Step[] = [
  onList('a person reads a list page by page', 1, async (world, _random, person, operation) => {
    const { as, same, forget } = world.auditor.inquiry;
    const readWhole = async () => {
      forget();
      return as(person, operation, { query: `?limit=${longestWhole}` });
    };
    const before = await readWhole();
    if (before.status !== 200 || before.meta.total > longestWhole) return;
    const limit = Math.max(1, Math.ceil(before.meta.total / mostPages));
    const paged: unknown[] = [];
    for (let page = 1; page <= mostPages; page += 1) {
      const { status, data } = await as(person, operation, { query: `?page=${page}&limit=${limit}` });
      if (status !== 200) return;
      paged.push(...data);
    }
    const after = await readWhole();
    // A process may have changed a row between two pages.
    if (!isDeepStrictEqual(before.data, after.data)) return;
    same(`${operation} shows ${person.name} the same rows by pages of ${limit} as at once (API-5)`, before.data, paged);
  }),
  onList('a person asks for a page that cannot be', 0.6, async (world, random, person, operation) => {
    const { as, same } = world.auditor.inquiry;
    const query = random.pick(['?limit=101', '?limit=0', '?page=0', '?page=-1', '?limit=ten', '?page=1.5']);
    const { status, error } = await as(person, operation, { query });
    const seen = { status, code: error?.code ?? null };
    same(`${operation}${query} of ${person.name} is refused (API-5)`, { status: 422, code: 'validation_failed' }, seen);
  }),
];

function onList(
  name: string,
  weight: number,
  take: (world: World, random: Random, person: Person, operation: string) => Promise<void>,
): Step {
  return {
    name,
    weight,
    async take(world, random) {
      const person = signedIn(world, random);
      const operation = random.pick(ownLists);
      const { model } = world.auditor;
      if (!person || refusalOfBrowser(model, { operation, by: world.callerOf(person) }) !== null) return;
      await take(world, random, person, operation);
    },
  };
}
