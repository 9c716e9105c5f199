import type { Random } from '../../support/random.ts';
import type { Document } from '../auditor/applications/application-records.ts';
import { isDocumentInUse } from '../auditor/applications/documents.ts';
import { addDays } from '../auditor/days.ts';
import { makeDocument, makePdf, makePhoto } from '../papers.ts';
import { attachFile } from '../steps/organizers/organizer-acts.ts';
import type { Step } from '../steps/step.ts';
import type { Person, World } from '../world.ts';
import { type Athlete, anApplicant, anAthlete, anOpenEvent, aPerson, presentAt } from './cast.ts';
import { story } from './story.ts';

const notes = ['The scan cannot be read.', 'Фотография не подходит: другой человек.', 'Құжаттың мерзімі өтіп кеткен.'] as const;

type Decision = 'approve' | 'changes' | 'cancel';

export const paperStories: readonly Step[] = [
  story('a paper is decided on in every way, and changed after each', async function* (world, random) {
    const athlete = await anAthlete(world, random);
    const document = athlete && (await aPaper(world, random, athlete));
    if (!document) return;
    const { owner } = athlete;
    for (const decision of ['approve', ...random.shuffled<Decision>(['changes', 'cancel', 'approve'])] as Decision[]) {
      await review(world, random, 'document', document.id, decision);
      yield;
      // The same again changes nothing.
      if (random.next() < 0.3) await review(world, random, 'document', document.id, decision);
      await change(world, random, owner, document);
      yield;
    }
    await review(world, random, 'document', document.id, 'approve');
    await world.call(owner, 'DELETE /files/{id}', { params: { id: document.fileId } });
    yield;
    await review(world, random, 'document', document.id, 'approve');
    await change(world, random, owner, document, 'file_id');
    yield;
    await review(world, random, 'document', document.id, 'approve');
  }),
  story('a paper comes to its last day, and is renewed', async function* (world, random) {
    const athlete = await anAthlete(world, random);
    const document = athlete && (await aPaper(world, random, athlete, random.pick([8, 31, 61])));
    if (!document) return;
    if (random.next() < 0.8) await review(world, random, 'document', document.id, 'approve');
    yield;
    const day = document.expiresAt ?? '';
    for (const before of random.shuffled([60, 30, 7]).slice(0, 1)) {
      await world.passTo(`${addDays(day, -before)}T10:00:00+05:00`);
      yield;
    }
    await world.passTo(`${day}T23:40:00+05:00`);
    yield;
    await world.passTo(`${addDays(day, 1)}T00:20:00+05:00`);
    yield;
    await review(world, random, 'document', document.id, 'approve');
    const body = { expires_at: addDays(world.auditor.inquiry.today, 200) };
    await world.call(athlete.owner, 'PATCH /documents/{id}', { params: { id: document.id }, body });
    yield;
    await review(world, random, 'document', document.id, 'approve');
  }),
  story('a profile is decided on in every way', async function* (world, random) {
    const athlete = await anAthlete(world, random);
    if (!athlete) return;
    const { owner, profile } = athlete;
    const params = { id: profile.id };
    const submit = () => world.call(owner, 'POST /profiles/{id}/submit', { params });
    const fields = [
      { data: { first_name: 'Асан' } },
      // Decomposed letters (API-7).
      { data: { city: `Қорғалжын, Рудный ${world.nextMark()}`.normalize('NFD') } },
      { photo_id: await makePhoto(world, owner, 'otherPhoto') },
      { data: { birth_date: '1988-03-21' } },
    ] as const;
    yield;
    for (const body of random.shuffled(fields)) {
      await world.call(owner, 'PATCH /profiles/{id}', { params, body });
      yield;
      for (const kind of random.shuffled(['profile', 'photo'] as const)) {
        const decision = random.pick(['approve', 'changes'] as const);
        await review(world, random, kind, profile.id, decision);
        yield;
        if (decision === 'changes') await submit();
      }
      yield;
    }
    await review(world, random, random.pick(['profile', 'photo'] as const), profile.id, 'cancel');
    yield;
    await world.call(owner, 'PATCH /profiles/{id}', { params, body: { data: { first_name: 'Ерлан' } } });
    await world.call(owner, 'PATCH /profiles/{id}', { params, body: { photo_id: await makePhoto(world, owner) } });
    await submit();
  }),
  story('a clerk forgets the note of every kind of decision', async function* (world, random) {
    const { model } = world.auditor;
    const athlete = await anAthlete(world, random);
    if (athlete) await aPaper(world, random, athlete);
    yield;
    const kinds: [kind: string, ids: Iterable<number>][] = [
      ['profile', model.profiles.keys()],
      ['photo', model.profiles.keys()],
      ['document', model.documents.keys()],
      ['application', model.applications.keys()],
      ['additional_document', model.additionalDocuments.keys()],
    ];
    for (const [kind, ids] of kinds) {
      const id = [...ids].at(-1);
      for (const note of [{}, { note: '🏁'.repeat(4) }, { note: '   ' }]) {
        const body = { kind, id, decision: random.pick(['changes', 'cancel']), ...note };
        if (id !== undefined) await world.call(world.administrator, 'POST /admin/review', { body });
      }
    }
    yield;
    const contract = [...model.contracts.values()].at(-1);
    const [event] = model.events.keys();
    const params = { id: contract?.id ?? 0 };
    for (const reason of [{}, { reason: 'no' }]) {
      await world.call(world.administrator, 'POST /admin/contracts/{id}/review', { params, body: { decision: 'reject', ...reason } });
      await world.call(world.administrator, 'POST /contracts/{id}/cancel', { params, body: { reason: 'no' } });
      await world.call(world.administrator, 'POST /events/{id}/cancel', { params: { id: event ?? 0 }, body: { reason: 'no' } });
    }
  }),
  story('owners delete the files of what they have', async function* (world, random) {
    const { model, inquiry } = world.auditor;
    if (model.documents.size < 12) await anApplicant(world, random, 'national_certificate');
    const stage = random.next() < 0.3 ? await anOpenEvent(world, random) : null;
    if (stage) await attachFile(world, stage.organizer, stage.event.id, 'results');
    yield;
    const byUse = Map.groupBy(model.files, ([, { uses, purpose }]) => useOf(model, uses) ?? `nothing, ${purpose}`);
    for (const [, files] of byUse)
      for (const [id, { ownerId }] of random.shuffled(files).slice(0, 3)) {
        const owner = await presentAt(world, ownerId);
        if (!owner) continue;
        const { status } = await world.call(owner, 'DELETE /files/{id}', { params: { id } });
        if (status >= 300) continue;
        inquiry.forget();
        inquiry.same(
          `file ${id} is hidden once it is deleted (FIL-5)`,
          404,
          (await inquiry.as(owner, 'GET /files/{id}', { params: { id } })).status,
        );
      }
  }),
  story('a file is used by one record after another', async function* (world, random) {
    const owner = await aPerson(world, random);
    const athlete = owner && (await anAthlete(world, random, owner));
    if (!athlete) return;
    const fileId = await makePhoto(world, owner, 'otherPhoto');
    const paper = { profile_id: athlete.profile.id, type: 'identity', file_id: fileId, country: 'KZ' };
    const made = await world.call(owner, 'POST /documents', { body: paper });
    await world.call(owner, 'PATCH /profiles/{id}', { params: { id: athlete.profile.id }, body: { photo_id: fileId } });
    const remove = () => world.call(owner, 'DELETE /files/{id}', { params: { id: fileId ?? '' } });
    await remove();
    yield;
    await world.call(owner, 'PATCH /profiles/{id}', {
      params: { id: athlete.profile.id },
      body: { photo_id: await makePhoto(world, owner) },
    });
    if (random.next() < 0.5 && made.status === 201) {
      const scan = await makePdf(world, owner, `Another scan, made as request ${world.exchanges.length}`);
      await world.call(owner, 'PATCH /documents/{id}', { params: { id: made.data.id }, body: { file_id: scan } });
    }
    yield;
    await remove();
    yield;
    await remove();
  }),
];

/** What kind of record uses a file, and whether it is in use itself. */
function useOf(model: World['auditor']['model'], uses: ReadonlyMap<string, number>): string | undefined {
  const [[use] = []] = uses;
  const [kind, id] = use?.split(' ') ?? [];
  return kind === 'document' ? `${kind} ${isDocumentInUse(model, Number(id))}` : kind;
}

async function aPaper(world: World, random: Random, { owner, profile }: Athlete, days = 300): Promise<Document | undefined> {
  const type = random.pick(['identity', 'medical', 'driver']);
  const id = await makeDocument(world, owner, profile.id, type, addDays(world.auditor.inquiry.today, days));
  return world.auditor.model.documents.get(id ?? 0);
}

export async function review(world: World, random: Random, kind: string, id: number, decision: Decision) {
  const note = decision === 'approve' ? {} : { note: random.pick(notes) };
  return world.call(world.administrator, 'POST /admin/review', { body: { kind, id, decision, ...note } });
}

/** The owner gives one field another value. */
async function change(world: World, random: Random, owner: Person, { id, expiresAt }: Document, wanted?: string): Promise<void> {
  const { today } = world.auditor.inquiry;
  const field = wanted ?? random.pick(['expires_at', 'number', 'country', 'issued_at', 'file_id', 'nothing']);
  const values: Record<string, () => unknown> = {
    expires_at: () => addDays(today, random.between(100, 400)),
    number: () => `N${1_000_000 + world.nextMark()}`,
    country: () => random.pick(['RU', 'UZ', 'KG']),
    issued_at: () => addDays(today, -random.between(1, 300)),
    file_id: () => makePdf(world, owner, `A scan of document ${id}, made as request ${world.exchanges.length}`),
  };
  const value = await values[field]?.();
  const body = value === undefined ? { expires_at: expiresAt } : { [field]: value };
  await world.call(owner, 'PATCH /documents/{id}', { params: { id }, body });
}
