import { deadlinesOf } from '../../auditor/competitions/competition-questions.ts';
import { isLivingEvent } from '../../auditor/competitions/competitions-of.ts';
import { oneOf, type Step } from '../step.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Time of competitions: deadlines, the intake, and agreements that wait. */
export const organizerTimeSteps: readonly Step[] = [
  {
    name: 'a date of a competition or an agreement comes',
    weight: 5,
    async take(world, random) {
      const { model } = world.auditor;
      const now = world.now.getTime();
      const ofEvents = [...model.events.values()].filter(isLivingEvent).flatMap((event) => [
        ...deadlinesOf(event)
          .values()
          .flatMap((deadline) => [deadline - 7 * dayMs, deadline]),
        event.startsAt,
        event.endsAt,
        event.settings?.opensAt ?? 0,
        event.settings?.closesAt ?? 0,
      ]);
      const ofContracts = [...model.contracts.values()].flatMap(({ since }) => [3, 7, 14, 21].map((days) => since + days * dayMs));
      const instant = oneOf(
        random,
        [...ofEvents, ...ofContracts].filter((one) => one > now && one < now + 40 * dayMs),
      );
      if (instant === undefined) return;
      const side = random.next() < 0.4 ? -5 * minuteMs : 20 * minuteMs;
      await world.passTo(new Date(instant + side).toISOString());
    },
  },
];
