import { createRandom, type Random } from '../support/random.ts';
import type { Service } from './auditor/applications/application-records.ts';
import { addDays } from './auditor/days.ts';
import { wordOf } from './marks.ts';
import { makeDocument, makeMarkFile, makePhoto } from './papers.ts';
import { confirmAddress } from './steps/accounts.ts';
import { linkPhone } from './steps/messages/bot.ts';
import { setUpFactor } from './steps/second-factor.ts';
import { attachFile, giveMoney, makeContract, makeEvent, organizerData, sendScan } from './steps/organizers/organizer-acts.ts';
import { oneOf, weighted } from './steps/step.ts';
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
  await publishEvent(world, organizer, profileId, disciplineId ?? random.between(1, 3), random);
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
  await world.call(owner, 'POST /profiles/{id}/submit', { params: { id: profileId } });
  for (const kind of ['profile', 'photo']) await approve(world, { kind, id: profileId });
  const documents = [];
  for (const { types, onlyMinors } of service.required) {
    if (onlyMinors) continue;
    const id = await makeDocument(world, owner, profileId, types[0] ?? '', addDays(world.auditor.inquiry.today, 500));
    await approve(world, { kind: 'document', id });
    documents.push(id);
  }
  const chosen = disciplineId === undefined ? {} : { discipline_id: disciplineId };
  const body = { profile_id: profileId, service_id: service.id, document_ids: documents, data: chosen };
  const { id } = (await world.call(owner, 'POST /applications', { body })).data;
  await giveMoney(world, owner, 30_000_000);
  await world.call(owner, 'POST /applications/{id}/submit', { params: { id } });
  await world.call(owner, 'POST /applications/{id}/pay', { params: { id } });
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
  await approve(world, { kind: 'profile', id });
  return id;
}

async function publishEvent(world: World, owner: Person, profileId: number, disciplineId: number, random: Random): Promise<void> {
  const id = await makeEvent(world, owner, profileId, { discipline_id: disciplineId, ...datesOf(world, random) });
  const contractId = id === null ? null : await makeContract(world, owner, id);
  if (id === null || contractId === null) throw new Error('a life begins with an event and its agreement');
  await sendScan(world, owner, contractId);
  await world.call(world.administrator, 'POST /admin/contracts/{id}/review', { params: { id: contractId }, body: { decision: 'confirm' } });
  const { application_id: feeId } = (await world.call(owner, 'POST /events/{id}/submit', { params: { id }, body: { stage: 'details' } }))
    .data;
  await giveMoney(world, owner, 30_000_000);
  await world.call(owner, 'POST /applications/{id}/pay', { params: { id: feeId } });
  await approve(world, { kind: 'event_stage', id, stage: 'details' });
  await attachFile(world, owner, id, 'regulations');
  await world.call(owner, 'POST /events/{id}/submit', { params: { id }, body: { stage: 'regulations' } });
  await approve(world, { kind: 'event_stage', id, stage: 'regulations' });
  const body = { opens_at: world.now.toISOString(), classes: ['Абсолют', 'Юниор'] };
  await world.call(owner, 'PUT /events/{id}/registration-settings', { params: { id }, body });
}

/** One day, some days, or across New Year; the intake is open for weeks. */
function datesOf(world: World, random: Random): Record<string, string> {
  const start = addDays(world.auditor.inquiry.today, random.between(25, 90));
  const [first, last] = weighted(random, [
    [[start, start], 3],
    [[start, addDays(start, random.between(1, 5))], 4],
    [['2027-12-30', '2028-01-02'], 1],
  ]);
  return { starts_at: `${first}T09:00:00+05:00`, ends_at: `${last}T18:00:00+05:00` };
}

async function approve(world: World, record: { kind: string; id: number | null; stage?: string }): Promise<void> {
  await world.call(world.administrator, 'POST /admin/review', { body: { ...record, decision: 'approve' } });
}
