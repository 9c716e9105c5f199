import type { Random } from '../../support/random.ts';
import { foreignPapers } from '../auditor/registrations/eligibility.ts';
import { registrationsOf } from '../auditor/registrations/registrations-of.ts';
import { approvedDocument } from '../certify.ts';
import { license } from '../steps/organizers/seasons.ts';
import { importingParticipants, participantSheetOf, sendBack } from '../steps/imports/participant-sheets.ts';
import { importingRegistrations, registrationSheetOf, sendTemplateBack } from '../steps/imports/registration-sheets.ts';
import { raceSheet, sendSheet } from '../steps/imports/send-sheet.ts';
import type { Step } from '../steps/step.ts';
import type { Person, World } from '../world.ts';
import { anAthlete, anEntrant, anOpenEvent, enter, type Stage } from './cast.ts';
import { decide } from './registrations.ts';
import { story } from './story.ts';

const athletesOfClub = 3;

export const importStories: readonly Step[] = [
  story('a club registers by sheets', async function* (world, random) {
    const stage = await anOpenEvent(world, random);
    const owner = stage && (await aClub(world, random, stage));
    if (!owner) return;
    const { event } = stage;
    yield;
    for (const [spoiled, modes] of [
      [0.5, ['check', 'draft']],
      [0.2, ['check', 'submit', 'submit']],
      [0.8, ['submit']],
    ] as const) {
      const sheet = registrationSheetOf(world, random, { event, owner }, spoiled);
      if (sheet) await sendSheet(world, owner, importingRegistrations, event.id, sheet, modes);
      yield;
    }
    await sendTemplateBack(world, { event, owner }, 'draft');
    const registration = registrationsOf(world.auditor.model, event.id).find(({ status }) => status === 'submitted');
    if (registration) await decide(world, stage, registration, { decision: 'return', reason: 'Көліктің нөмірі жоқ.' });
    yield;
    const sheet = registrationSheetOf(world, random, { event, owner }, 0);
    if (sheet) await raceSheet(world, owner, importingRegistrations, event.id, sheet);
  }),
  story('an organizer enters results by sheets', async function* (world, random) {
    const stage = await anOpenEvent(world, random);
    if (!stage) return;
    const { event, organizer } = stage;
    for (const startNumber of ['7', '08']) {
      const athlete = await anEntrant(world, random, event);
      if (!athlete) return;
      await license(world, athlete.owner, athlete.profile, event);
      await world.auditor.askAfterStep();
      const registration = await enter(world, random, athlete, event);
      if (registration) await decide(world, stage, registration, { decision: 'approve', start_number: startNumber });
    }
    yield;
    await sendBack(world, random, { event, organizer }, 'GET /events/{id}/participants/template.xlsx', 'template');
    yield;
    for (const [spoiled, modes] of [
      [0.3, ['check', 'submit', 'submit']],
      [0.7, ['check', 'submit']],
      [0, ['submit']],
    ] as const) {
      const sheet = participantSheetOf(world, random, event, spoiled);
      if (sheet) await sendSheet(world, organizer, importingParticipants, event.id, sheet, modes);
      yield;
    }
    await sendBack(world, random, { event, organizer }, 'GET /events/{id}/participants/template.xlsx', 'template');
    await sendBack(world, random, { event, organizer }, 'GET /events/{id}/registrations/export', 'export');
  }),
];

/** An account with some athletes who can register. */
async function aClub(world: World, random: Random, { event }: Stage): Promise<Person | null> {
  const first = await anEntrant(world, random, event);
  if (!first) return null;
  for (let count = 1; count < athletesOfClub; count += 1) {
    const athlete = await anAthlete(world, random, first.owner);
    if (!athlete) break;
    if (random.next() < 0.4) for (const type of foreignPapers) await approvedDocument(world, athlete.owner, athlete.profile.id, type, 300);
    else await license(world, athlete.owner, athlete.profile, event);
  }
  // The registry issues certificates by itself.
  await world.auditor.askAfterStep();
  return first.owner;
}
