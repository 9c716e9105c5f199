import type { Random } from '../../support/random.ts';
import { daysOf } from '../auditor/registrations/eligibility.ts';
import { addDays } from '../auditor/days.ts';
import { isLiving } from '../auditor/applications/ends.ts';
import { addYears } from '../auditor/applications/readiness.ts';
import type { World } from '../world.ts';
import { anyone } from './athletes.ts';
import { oneOf, type Step, weighted } from './step.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** Time: it jumps to the instants that matter, and a step may lie on both sides of each. All instants are in UTC+5. */
export const timeSteps: readonly Step[] = [
  {
    name: 'minutes or hours pass',
    weight: 8,
    take: (world, random) => pass(world, random.pick([7, 50, 70, 300]) * minuteMs),
  },
  {
    name: 'a person turns the clock back',
    weight: 1,
    async take(world, random) {
      const person = anyone(world, random);
      const now = new Date(world.now.getTime() - random.pick([2, 3000, 300_000]) * minuteMs).toISOString();
      if (person) await world.call(person, 'PUT /sandbox/clock', { body: { now } });
    },
  },
  { name: 'a day passes', weight: 3, take: (world) => pass(world, 24 * 3_600_000) },
  {
    name: 'a last day begins, or is over',
    weight: 7,
    async take(world, random) {
      const { model, inquiry } = world.auditor;
      const lastDayOf = (id: number) => model.documents.get(id)?.expiresAt ?? '';
      const isNear = (day: string) => day >= inquiry.today && day <= addDays(inquiry.today, 100);
      const behind = [...model.applications.values()].flatMap(({ certificate, documentIds }) => (certificate === null ? [] : documentIds));
      const childhoods = [...model.applications.values()].filter(isLiving).flatMap(({ profileId }) => {
        const birthDate = model.profiles.get(profileId)?.birthDate ?? null;
        return birthDate === null ? [] : addDays(addYears(birthDate, 18), -1);
      });
      const issued = [...model.applications.values()].flatMap(({ certificate }) => certificate?.validUntil ?? []);
      const all = [...[...model.documents.keys()].map(lastDayOf), ...childhoods].filter(isNear);
      const inUse = [...behind.map(lastDayOf), ...issued, ...childhoods].filter(isNear);
      const day = oneOf(random, inUse.length > 0 && random.next() < 0.5 ? inUse : all);
      if (day === undefined) return;
      await world.passTo(random.next() < 0.4 ? `${day}T23:50:00+05:00` : `${addDays(day, 1)}T00:10:00+05:00`);
    },
  },
  {
    name: 'a competition comes closer, goes on, or is over',
    weight: 4,
    async take(world, random) {
      const now = world.now.getTime();
      const events = [...world.auditor.model.events.values()].filter(({ wasPublished }) => wasPublished);
      const instants = events.flatMap((event) => {
        const { startsAt, endsAt, settings } = event;
        const { first, last } = daysOf(event);
        const midnights = [first, addDays(first, 1), last, addDays(last, 1)].map((day) => Date.parse(`${day}T00:00:00+05:00`));
        return [startsAt, endsAt, settings?.closesAt ?? startsAt, ...midnights];
      });
      const instant = oneOf(
        random,
        instants.filter((one) => one > now && one < now + 100 * dayMs),
      );
      if (instant === undefined) return;
      const side = random.next() < 0.5 ? -10 * minuteMs : 10 * minuteMs;
      await world.passTo(new Date(instant + side).toISOString());
    },
  },
  {
    name: 'the year comes to its end',
    weight: 1.5,
    async take(world, random) {
      const year = Number(world.auditor.inquiry.today.slice(0, 4));
      const instant = weighted(random, [
        [`${year}-11-01T00:10:00+05:00`, 1],
        [`${year}-12-30T12:00:00+05:00`, 1],
        [`${year}-12-31T23:50:00+05:00`, 1],
        [`${year + 1}-01-01T00:10:00+05:00`, 1],
      ]);
      await world.passTo(instant);
    },
  },
];

/** Lets an hour pass now and then: people do not change a record in the minute in which they sent it. */
export async function maybeLater(world: World, random: Random): Promise<void> {
  if (random.next() < 0.3) await pass(world, 60 * minuteMs);
}

async function pass(world: World, millis: number): Promise<void> {
  await world.passTo(new Date(world.now.getTime() + millis).toISOString());
}
