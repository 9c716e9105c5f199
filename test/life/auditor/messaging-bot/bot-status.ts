import type { Person } from '../../world.ts';
import type { Inquiry } from '../inquiry.ts';

/** Commands that show the state of an account. */
export const statusCommands = ['/missing', '/balance', '/certificates'] as const;
export type StatusCommand = (typeof statusCommands)[number];

const mostShown = 10;

interface ShownProfile {
  id: number;
  kind: 'athlete' | 'organizer';
  status: string;
  photo_id: string | null;
  photo_status: string;
}

/** What the owner sees of it on the site, as the bot should say it; null where they cannot look, or where a list is too long for the bot. */
export async function statusOf(inquiry: Inquiry, owner: Person, command: StatusCommand): Promise<string | null> {
  const { as } = inquiry;
  inquiry.forget();
  const wallet = await as(owner, 'GET /wallet');
  if (wallet.status !== 200) return null;
  if (command === '/balance') return figuresIn(String(wallet.data.balance_minor));
  const rows = await inquiry.listedTo<{ id: number; status: string }>(owner, 'GET /applications');
  const living = rows.filter(({ status }) => status !== 'cancelled' && status !== 'closed');
  if (living.length > mostShown) return null;
  return command === '/missing' ? missingOf(inquiry, owner, living) : certificatesOf(inquiry, living);
}

/** Profiles and applications whose next step is the owner's (BOT-4, PRO-11, APP-4). */
async function missingOf({ as }: Inquiry, owner: Person, living: readonly { id: number }[]): Promise<string> {
  const profiles = (await as(owner, 'GET /profiles')).data as ShownProfile[];
  const applications = await Promise.all(
    living.map(async ({ id }) => {
      const rules = (await as(owner, 'GET /applications/{id}/readiness', { params: { id } })).data as Rule[];
      const steps = rules.filter(
        ({ rule, waiting_for: party, fix }) => party === 'owner' && fix !== null && rule !== 'profile' && rule !== 'photo',
      );
      return steps.length > 0 ? [id] : [];
    }),
  );
  return wordsOf(
    profiles.filter(isIncomplete).map(({ id }) => id),
    applications.flat(),
  );
}

interface Rule {
  rule: string;
  waiting_for: string | null;
  fix: object | null;
}

/** Whether something is to correct, to add or to submit (PRO-11). */
function isIncomplete({ kind, status, photo_id: photoId, photo_status: photo }: ShownProfile): boolean {
  const isPhotoOpen = kind === 'athlete' && (photoId === null || photo === 'changes' || photo === 'cancelled');
  return status === 'draft' || status === 'changes' || isPhotoOpen;
}

/** How many certificates there are, and how many are in force. */
async function certificatesOf({ model, publicly }: Inquiry, living: readonly { id: number }[]): Promise<string> {
  const tokens = living.flatMap(({ id }) => model.applications.get(id)?.certificate?.token ?? []);
  const answers = await Promise.all(tokens.map((token) => publicly('GET /verify/{token}', { params: { token } })));
  return `${tokens.length} certificates, ${answers.filter(({ data }) => data?.valid === true).length} valid`;
}

/** What the bot says, in the same words. */
export function saidIn(answer: string, command: StatusCommand): string {
  if (command === '/balance') return figuresIn(answer);
  const lines = answer.split('\n').filter((line) => line.startsWith('• '));
  if (command === '/certificates')
    return `${lines.length} certificates, ${lines.filter((line) => /[,;] (действует|жарамды|valid)$/.test(line)).length} valid`;
  const named = (form: RegExp) => lines.flatMap((line) => (form.test(line) ? [Number(form.exec(line)?.[1])] : []));
  return wordsOf(named(/^• (?:\p{L}+ )?(\d+)(?:-\p{L}+)?: /u), named(/^• (?:\p{L}+ )?(\d+)(?:-\p{L}+)?, /u));
}

function wordsOf(profiles: readonly number[], applications: readonly number[]): string {
  const inOrder = (ids: readonly number[]) => [...new Set(ids)].toSorted((left, right) => left - right).join();
  return `profiles ${inOrder(profiles)}; applications ${inOrder(applications)}`;
}

const figuresIn = (text: string) => text.replaceAll(/\D/g, '').replace(/^0+(?=\d)/, '');
