import { createRandom } from '../support/random.ts';
import type { Service } from './auditor/applications/application-records.ts';
import { approve, certify } from './certify.ts';
import { wordOf } from './marks.ts';
import { makeMarkFile, makePhoto } from './papers.ts';
import { datesAhead, publishEvent } from './publish.ts';
import { confirmAddress } from './steps/accounts.ts';
import { linkPhone } from './steps/messages/bot.ts';
import { setUpFactor } from './steps/second-factor.ts';
import { giveMoney, organizerData } from './steps/organizers/organizer-acts.ts';
import { oneOf } from './steps/step.ts';
import type { Person, World } from './world.ts';

/**
 * What every life begins with, so that the rest can follow: an athlete with a certificate in force, the federation's signing setting, an
 * approved organizer, a published event that takes registrations, telephones of both that are linked with the bot, and a person with a second
 * factor. The life's seed varies dates and discipline.
 */
export async function beginWithPapers(world: World, seed: number): Promise<void> {
  const random = createRandom(seed);
  const [athlete, organizer] = world.people;
  if (!athlete || !organizer) throw new Error('a life begins with people');
  for (const person of [athlete, organizer]) await confirmAddress(world, person, random);
  const service = oneOf(
    random,
    [...world.auditor.model.services.values()].filter(({ kind }) => kind === 'national_certificate'),
  );
  if (!service) throw new Error('the catalogue has national certificates');
  const disciplineId = oneOf(random, service.disciplineIds);
  await issueCertificate(world, athlete, service, disciplineId);
  await setSigning(world);
  await world.call(world.administrator, 'GET /admin/contract-templates');
  const profileId = await approveOrganizer(world, organizer);
  const fields = { discipline_id: disciplineId ?? random.between(1, 3), ...datesAhead(world, random) };
  if ((await publishEvent(world, random, organizer, profileId, fields)) === null)
    throw new Error('a life begins with an event and its agreement');
  for (const person of [athlete, organizer]) await linkPhone(world, random, person);
  await setUpFactor(world, random.pick([athlete, organizer]));
  await world.auditor.askAfterStep();
}

async function issueCertificate(world: World, owner: Person, service: Service, disciplineId: number | undefined): Promise<void> {
  const photo = { photo_id: await makePhoto(world, owner) };
  const data = {
    last_name: `Әлиев-${wordOf(world.nextMark())}`,
    first_name: 'Данияр',
    birth_date: '1990-05-17',
    gender: 'male',
    citizenship: 'KZ',
    city: 'Алматы',
  };
  const profileId = (await world.call(owner, 'POST /profiles', { body: { kind: 'athlete', data, ...photo } })).data.id;
  const profile = world.auditor.model.profiles.get(profileId);
  if (!profile) throw new Error('a life begins with an athlete');
  // For what the athlete does later.
  await giveMoney(world, owner, 30_000_000);
  await certify(world, owner, profile, { service, disciplineId, days: 500 });
}

async function setSigning(world: World): Promise<void> {
  const [signature, stamp] = [
    await makeMarkFile(world, world.administrator, 'signature', '#1030a0'),
    await makeMarkFile(world, world.administrator, 'stamp', '#1030a0'),
  ];
  const body = {
    signer_name: 'Әбенова Гүлнар Өмірқызы',
    signer_position: 'Бас хатшы',
    signature_file_id: signature,
    stamp_file_id: stamp,
    layout: { signature: { x: 60, y: 190, scale: 1 }, stamp: { x: 120, y: 185, scale: 1 } },
  };
  await world.call(world.administrator, 'PUT /admin/federation-signing', { body });
}

async function approveOrganizer(world: World, owner: Person): Promise<number> {
  const { id } = (
    await world.call(owner, 'POST /profiles', { body: { kind: 'organizer', data: organizerData(world, 'Алатау автоклубы') } })
  ).data;
  await world.call(owner, 'POST /profiles/{id}/submit', { params: { id } });
  await approve(world, 'profile', id);
  return id;
}
