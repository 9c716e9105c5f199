import { parseRow } from '../../src/areas/registrations/check-row.ts';
import { saveRegistrations } from '../../src/areas/registrations/save-registrations.ts';
import { commit } from '../../src/platform/command.ts';
import { databaseOf } from '../../src/platform/database/database.ts';
import type { Platform } from '../../src/platform/platform.ts';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { TestClient } from '../support/client.ts';
import { countStatements } from '../support/count-statements.ts';
import type { InsertedPerson } from '../support/factories.ts';
import { eventFixtures } from '../support/factories/events.ts';
import { insertAthletes, type LicensedAthlete } from '../support/factories/registrations.ts';
import { makePeople, signInAdministrator } from './support/bench-people.ts';
import { localUrl, withPlatform } from './support/bench-stack.ts';
import { describeLatencies, interleaved, median, timed } from './support/measure.ts';
import { ratio, say, type Verdict } from './support/report.ts';

const rowsOfABatch = 100;
const goalOfStatements = 10;
const goalMs = 1500;

/**
 * A hundred registrations in one batch against a hundred requests of one: statements, counted where the command runs, and the time of the
 * answers over HTTP, one request at a time. Every round has athletes of its own.
 */
export async function benchBatch(stack: Stack, rounds: number): Promise<Verdict[]> {
  const { id: administratorId } = await signInAdministrator(stack);
  const [owner, organizer] = await makePeople(stack, 2, { administratorId });
  if (!owner || !organizer) throw new RangeError('two people are needed');
  return withPlatform(stack, async (platform) => {
    const db = databaseOf(platform.orm.em.fork());
    const { id: eventId } = await eventFixtures(platform).event(organizer, { settings: { classes: ['Абсолют'] } });
    const athletes = await insertAthletes(
      db,
      Array.from({ length: rowsOfABatch * (2 * rounds + 3) }, () => owner.userId),
      new Date(),
    );
    const take = () => athletes.splice(0, rowsOfABatch).map(rowOf);

    const [warmUp, counted] = [take(), take()];
    const [one, ...others] = warmUp;
    await countSave(platform, owner, eventId, others);
    const single = await countSave(platform, owner, eventId, [one]);
    const batch = await countSave(platform, owner, eventId, counted);
    say(`  statements: ${batch} of a batch of ${rowsOfABatch}, ${single} of one registration`);

    const client = new TestClient(localUrl(stack), owner.key);
    const path = `/events/${eventId}/registrations/batch`;
    const send = async (registrations: unknown[]) => {
      const { results } = client.expect(200, await client.post(path, { registrations, submit: true })).body.data;
      if (results.some(({ ok }: { ok: boolean }) => !ok)) throw new Error(JSON.stringify(results.slice(0, 3)));
    };
    await send(take());
    const { ours, theirs } = await interleaved(rounds, {
      ours: async () => {
        const rows = take();
        return timed(() => send(rows));
      },
      theirs: async () => {
        const rows = take();
        return timed(async () => {
          for (const row of rows) await send([row]);
        });
      },
    });
    say(`  one batch: ${describeLatencies(ours)}; a hundred of one: ${describeLatencies(theirs)}`);
    const share = (single * rowsOfABatch) / batch;
    return [
      {
        what: `statements of ${rowsOfABatch} registrations of one against a batch`,
        goal: `>= ${goalOfStatements.toFixed(2)}`,
        measured: ratio(share),
        isMet: share >= goalOfStatements,
      },
      {
        what: `a batch of ${rowsOfABatch} registrations, p50`,
        goal: `< ${goalMs} ms`,
        measured: `${median(ours).toFixed(0)} ms`,
        isMet: median(ours) < goalMs,
      },
      { what: 'a hundred requests of one, p50', goal: '', measured: `${median(theirs).toFixed(0)} ms`, isMet: true },
    ];
  });
}

const rowOf = ({ profileId, applicationId }: LicensedAthlete) => ({
  profile_id: profileId,
  application_id: applicationId,
  class: 'Абсолют',
});

/** What the command costs the database, by itself. */
async function countSave(platform: Platform, owner: InsertedPerson, eventId: number, sent: unknown[]): Promise<number> {
  const actor = { kind: 'user', userId: owner.userId, isAdministrator: false, impersonatedUserId: null } as const;
  const rows = sent.map((row, index) => parseRow(`body.registrations.${index}`, row));
  const { statements, result } = await countStatements(() =>
    commit(platform, { actor, requestId: 'bench', ip: null }, (ctx) =>
      saveRegistrations(ctx, { eventId, rows, isSubmitted: true, asksForDetails: true }),
    ),
  );
  if (result.some((outcome) => 'refusal' in outcome)) throw new Error('a row was refused');
  // What removes delivered wake-ups is nobody's statement.
  return statements.filter(({ text }) => !text.startsWith('delete from "outbox"')).length;
}
