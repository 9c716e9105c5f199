import { TestClient } from '../../support/client.ts';
import type { Random } from '../../support/random.ts';
import type { Application } from '../auditor/applications/application-records.ts';
import { listOf } from '../auditor/national/national.ts';
import { addDays } from '../auditor/days.ts';
import { certify } from '../certify.ts';
import { makeDocument, makePhoto } from '../papers.ts';
import { giveMoney } from '../steps/organizers/organizer-acts.ts';
import { oneOf, type Step } from '../steps/step.ts';
import { administratorAt } from '../steps/transfers.ts';
import { approveLicence } from '../steps/verification/sharing.ts';
import { personOf, type Person, type World } from '../world.ts';
import { anApplicant, anAthlete, aService } from './cast.ts';
import { review } from './papers.ts';
import { story } from './story.ts';

const dayMs = 86_400_000;
const decided = ['international_licence', 'document'] as const;

export const applicationStories: readonly Step[] = [
  story('a paid application is returned, corrected and cancelled', async function* (world, random) {
    const cast = await anApplicant(world, random, random.pick(decided));
    if (!cast) return;
    const { owner, application } = cast;
    const call = { params: { id: application.id } };
    yield;
    await world.call(owner, 'PATCH /applications/{id}', { ...call, body: { data: { insurance_territory: 'CIS' } } });
    await decideOn(world, random, application, 'changes');
    yield;
    await replacePaper(world, random, owner, application);
    yield;
    await world.call(owner, 'POST /applications/{id}/submit', call);
    await world.call(owner, 'POST /applications/{id}/pay', call);
    yield;
    if (random.next() < 0.4) await decideOn(world, random, application, random.pick(['approve', 'cancel'] as const));
    yield;
    await world.call(owner, 'POST /applications/{id}/cancel', { ...call, body: { reason: 'The season is over for me.' } });
    yield;
    await world.call(owner, 'POST /applications/{id}/pay', call);
  }),
  story('an application waits for one paper after another', async function* (world, random) {
    const service = aService(world, random, random.pick(['national_certificate', 'national_certificate', 'international_licence']));
    const athlete = service && (await anAthlete(world, random));
    if (!athlete) return;
    const { owner, profile } = athlete;
    const disciplineId = oneOf(random, service.disciplineIds);
    const data = disciplineId === undefined ? {} : { discipline_id: disciplineId };
    const made = await world.call(owner, 'POST /applications', {
      body: { profile_id: profile.id, service_id: service.id, document_ids: [], data },
    });
    const application = world.auditor.model.applications.get(made.data?.id ?? 0);
    if (!application) return;
    const call = { params: { id: application.id } };
    yield;
    const attached: number[] = [];
    for (const { types, onlyMinors } of service.required) {
      if (onlyMinors) continue;
      await world.call(owner, 'POST /applications/{id}/submit', call);
      const id = await makeDocument(world, owner, profile.id, types[0] ?? '', addDays(world.auditor.inquiry.today, 400));
      if (id !== null) attached.push(id);
      await world.call(owner, 'PATCH /applications/{id}', { ...call, body: { document_ids: [...attached] } });
      yield;
    }
    await world.call(owner, 'POST /applications/{id}/submit', call);
    if (random.next() < 0.8) await giveMoney(world, owner, application.amount);
    await world.call(owner, 'POST /applications/{id}/pay', call);
    yield;
    for (const id of random.shuffled(attached)) {
      if (random.next() < 0.3) {
        await review(world, random, 'document', id, 'changes');
        yield;
        const body = { expires_at: addDays(world.auditor.inquiry.today, 300) };
        await world.call(owner, 'PATCH /documents/{id}', { params: { id }, body });
        await replacePaper(world, random, owner, application, id);
      } else await review(world, random, 'document', id, 'approve');
      yield;
    }
    await world.call(owner, 'POST /applications/{id}/submit', call);
    await world.call(world.administrator, 'GET /admin/records/application/{id}', call);
  }),
  story('what stands behind a certificate is returned, and replaced', async function* (world, random) {
    const cast = await anApplicant(world, random, 'national_certificate');
    if (!cast) return;
    const { owner, profile, application } = cast;
    const call = { params: { id: application.id } };
    yield;
    for (const kind of random.shuffled(['profile', 'photo', 'document', 'exchange'] as const)) {
      if (kind === 'exchange') {
        const id = await replacePaper(world, random, owner, application, undefined, true);
        yield;
        if (id !== null) await review(world, random, 'document', id, 'approve');
        continue;
      }
      const id = kind === 'document' ? (oneOf(random, application.documentIds) ?? 0) : profile.id;
      await review(world, random, kind, id, random.pick(['changes', 'changes', 'cancel'] as const));
      yield;
      if (kind === 'document' && random.next() < 0.6) {
        const other = await replacePaper(world, random, owner, application, id);
        yield;
        if (other !== null) await review(world, random, 'document', other, 'approve');
        yield;
        await world.call(owner, 'POST /applications/{id}/submit', call);
      } else if (kind === 'photo') {
        await world.call(owner, 'PATCH /profiles/{id}', {
          params: { id: profile.id },
          body: { photo_id: await makePhoto(world, owner, 'otherPhoto') },
        });
        yield;
        await world.call(owner, 'POST /profiles/{id}/submit', { params: { id: profile.id } });
        await review(world, random, kind, id, 'approve');
      } else await review(world, random, kind, id, 'approve');
      yield;
    }
    if (random.next() < 0.4) await decideOn(world, random, application, 'cancel');
    yield;
    await world.call(owner, 'POST /applications/{id}/submit', call);
  }),
  story('a paper behind a certificate comes to its last day', async function* (world, random) {
    const kind = random.pick(['national_certificate', 'national_certificate', 'international_licence'] as const);
    const cast = await anApplicant(world, random, kind, random.pick([9, 20]));
    if (!cast) return;
    const { owner, application } = cast;
    yield;
    if (application.status === 'submitted' && random.next() < 0.6) await approveLicence(world, application, world.auditor.inquiry.today);
    yield;
    const days = application.documentIds.flatMap((id) => world.auditor.model.documents.get(id)?.expiresAt ?? []).toSorted();
    const [day = ''] = days;
    await world.passTo(`${day}T23:40:00+05:00`);
    yield;
    await world.passTo(`${addDays(day, 1)}T00:20:00+05:00`);
    yield;
    for (const id of application.documentIds) {
      if (world.auditor.model.documents.get(id)?.status !== 'expired') continue;
      const other = await replacePaper(world, random, owner, application, id);
      if (other !== null && random.next() < 0.8) await review(world, random, 'document', other, 'approve');
      yield;
    }
    await world.call(owner, 'POST /applications/{id}/submit', { params: { id: application.id } });
    yield;
    await world.passTo(new Date(world.now.getTime() + dayMs).toISOString());
  }),
  story('the documents of a licence are shared, until they are not', async function* (world, random) {
    const cast = await anApplicant(world, random, 'international_licence');
    if (!cast) return;
    const { owner, application } = cast;
    const share = (enabled: boolean) =>
      world.call(owner, 'PUT /applications/{id}/sharing', { params: { id: application.id }, body: { enabled, confirmed: true } });
    const look = async () => {
      const token = application.certificate?.token ?? '';
      if (token === '') return;
      const stranger = personOf('a stranger', new TestClient(world.registry.url));
      await world.call(stranger, 'GET /verify/{token}/documents', { params: { token } });
      await world.call(stranger, 'GET /verify/{token}/documents/{n}', { params: { token, n: random.between(1, 3) } });
    };
    await share(true);
    await approveLicence(world, application, random.next() < 0.7 ? world.auditor.inquiry.today : addDays(world.auditor.inquiry.today, 3));
    yield;
    await share(true);
    yield;
    await look();
    const id = oneOf(random, application.documentIds) ?? 0;
    for (const decision of ['changes', 'approve'] as const) {
      await review(world, random, 'document', id, decision);
      yield;
      await look();
    }
    await world.passTo(new Date(world.now.getTime() + 3 * dayMs).toISOString());
    yield;
    await look();
    if (random.next() < 0.5) await decideOn(world, random, application, 'cancel');
    else await share(false);
    yield;
    await look();
  }),
  story('certificates go to the insurer and to the printer', async function* (world, random) {
    const clerk = administratorAt(world, random);
    const lists = random.shuffled(['insurance', 'print'] as const);
    const cast = await anApplicant(world, random, 'national_certificate');
    yield;
    const year = Number(world.auditor.inquiry.today.slice(0, 4));
    for (const list of lists) {
      const change = (body: object) => world.call(clerk, `POST /admin/national/lists/${list}`, { body });
      for (const turn of [1, 2]) {
        if (turn === 1 || random.next() < 0.7) await change({ operation: 'clear' });
        await change({ operation: 'auto', year });
        if (turn === 2 && cast) await change({ operation: 'add', ids: [cast.application.id] });
        const ids = listOf(world.auditor.model, clerk.accountId, list);
        yield;
        if (ids.length > 0) await world.call(clerk, `POST /admin/national/lists/${list}/export`, { body: { ids } });
        yield;
      }
    }
    if (!cast) return;
    await decideOn(world, random, cast.application, 'cancel');
    yield;
    for (const list of lists) {
      await world.call(clerk, `POST /admin/national/lists/${list}`, { body: { operation: 'clear' } });
      await world.call(clerk, `POST /admin/national/lists/${list}`, { body: { operation: 'add', ids: [cast.application.id] } });
    }
  }),
  story('an athlete has one application after another', async function* (world, random) {
    const first = await anApplicant(world, random, random.pick(decided));
    if (!first) return;
    const { owner, profile, application, service } = first;
    yield;
    const again = () => certify(world, owner, profile, { service, disciplineId: oneOf(random, service.disciplineIds), days: 300 });
    await again();
    yield;
    await world.call(owner, 'POST /applications/{id}/cancel', {
      params: { id: application.id },
      body: { reason: 'It was a mistake of mine.' },
    });
    yield;
    await again();
    yield;
    const national = aService(world, random, 'national_certificate');
    if (national)
      await certify(world, owner, profile, {
        service: national,
        disciplineId: oneOf(random, national.disciplineIds),
        days: 300,
        isHasty: random.next() < 0.5,
      });
  }),
];

/** A clerk decides on the application itself, as it is now. */
export async function decideOn(
  world: World,
  random: Random,
  application: Application,
  decision: 'approve' | 'changes' | 'cancel',
): Promise<void> {
  if (decision === 'approve') return approveLicence(world, application, world.auditor.inquiry.today);
  const record = await world.auditor.inquiry.asAdministrator('GET /admin/records/{kind}/{id}', {
    params: { kind: 'application', id: application.id },
  });
  const note = random.pick(['The scan cannot be read.', 'Құжат анық емес.']);
  const body = { kind: 'application', id: application.id, decision, note, revision: record.data.revision };
  await world.call(world.administrator, 'POST /admin/review', { body });
}

/** Attaches a new paper in place of one. @param isApproved whether a clerk approves it before @returns the new one; null when it is refused */
async function replacePaper(
  world: World,
  random: Random,
  owner: Person,
  application: Application,
  former = oneOf(random, application.documentIds),
  isApproved = false,
): Promise<number | null> {
  const document = world.auditor.model.documents.get(former ?? 0);
  if (!document) return null;
  const id = await makeDocument(world, owner, application.profileId, document.type, addDays(world.auditor.inquiry.today, 600));
  if (id === null) return null;
  if (isApproved) await review(world, random, 'document', id, 'approve');
  const others = application.documentIds.filter((one) => one !== document.id);
  await world.call(owner, 'PATCH /applications/{id}', { params: { id: application.id }, body: { document_ids: [...others, id] } });
  return id;
}
