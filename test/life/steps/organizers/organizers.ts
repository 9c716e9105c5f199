import type { Random } from '../../../support/random.ts';
import { type Event, type StageName, stageNames } from '../../auditor/competitions/competition-records.ts';
import type { SentClass } from '../../auditor/competitions/competition-changes.ts';
import { isLivingEvent } from '../../auditor/competitions/competitions-of.ts';
import { addDays } from '../../auditor/days.ts';
import { registrationsOf } from '../../auditor/registrations/registrations-of.ts';
import { wordOf } from '../../marks.ts';
import { makePdf, makePhoto } from '../../papers.ts';
import type { World } from '../../world.ts';
import { anyone } from '../athletes.ts';
import { attachFile, makeEvent, onEvent, organizerData, payFee, submitStage } from './organizer-acts.ts';
import { oneOf, type Step, weighted } from '../step.ts';

const clubs = ['Алатау автоклубы', 'Ертіс картинг', 'Клуб «Медеу»', 'Tobol Racing', 'Қаратау жарыстары'] as const;
const titles = ['Алатау ралли', 'Кубок Ертіса', 'Чемпионат Казахстана, 2-й этап', 'Karting Cup', 'Жеңіс жарысы'] as const;
const places = ['Алматы', 'Өскемен', 'Караганда, картодром', 'Astana', 'Шымкент'] as const;
const reasons = ['Трасса закрыта из-за паводка.', 'The track is under repair.', 'Жарыс өтпейді.'] as const;

const isOpen = (event: Event, stage: StageName) => event.stages[stage].status === 'open' || event.stages[stage].status === 'changes';

/** Organizers, who may be athletes too: profiles, competitions and their stages, in the right and in the wrong order. */
export const organizerSteps: readonly Step[] = [
  {
    name: 'a person makes an organizer profile',
    weight: 1.5,
    async take(world, random) {
      const owner = anyone(world, random);
      const { profiles } = world.auditor.model;
      if (!owner || [...profiles.values()].some(({ ownerId, kind }) => ownerId === owner.accountId && kind === 'organizer')) return;
      const data = organizerData(world, random.pick(clubs));
      const made = await world.call(owner, 'POST /profiles', { body: { kind: 'organizer', data } });
      if (made.status === 201 && random.next() < 0.8)
        await world.call(owner, 'POST /profiles/{id}/submit', { params: { id: made.data.id } });
    },
  },
  {
    name: 'an organizer creates a competition',
    weight: 4,
    async take(world, random) {
      const { model, inquiry } = world.auditor;
      const profiles = [...model.profiles.values()];
      const isFitting = random.next() < 0.85;
      const profile = oneOf(random, isFitting ? profiles.filter(({ kind }) => kind === 'organizer') : profiles);
      const owner = profile && (random.next() < 0.95 ? inquiry.personOf(profile.ownerId) : anyone(world, random));
      if (!profile || !owner) return;
      await makeEvent(world, owner, profile.id, {
        discipline_id: random.between(1, 6),
        title: `${random.pick(titles)} ${wordOf(world.nextMark())}`,
        location: `${random.pick(places)}, ${wordOf(world.nextMark())}`,
        ...datesFrom(world, random),
      });
    },
  },
  onEvent('an organizer changes a competition', 5, isLivingEvent, async (world, owner, event, random) => {
    const body = weighted<Record<string, unknown>>(random, [
      [{ title: `${random.pick(titles)} ${wordOf(world.nextMark())}` }, 4],
      [{ location: `${random.pick(places)}, ${wordOf(world.nextMark())}` }, 3],
      [datesFrom(world, random), 3],
      [{ discipline_id: random.between(1, 6) }, 1],
      [{ reserve_at: random.next() < 0.3 ? null : isoOf(event.endsAt + random.between(-2, 20) * dayMs) }, 1],
      [{ title: event.title, starts_at: isoOf(event.startsAt) }, 1],
    ]);
    await world.call(owner, 'PATCH /events/{id}', { params: { id: event.id }, body });
  }),
  onEvent(
    'an organizer attaches the paper of a stage',
    6,
    (event) => isOpen(event, 'regulations') || isOpen(event, 'results'),
    async (world, owner, { id, stages }, random) => {
      const stage = stages.regulations.status === 'approved' ? 'results' : 'regulations';
      if (random.next() < 0.85) return attachFile(world, owner, id, stage);
      const fileId = await makePhoto(world, owner);
      const other = random.next() < 0.5 ? stage : 'agreement';
      if (fileId !== null)
        await world.call(owner, 'PATCH /events/{id}', { params: { id }, body: { stage: other, files: { [other]: fileId } } });
    },
  ),
  onEvent(
    'an organizer submits a stage',
    10,
    (event) => stageNames.some((stage) => stage !== 'agreement' && isOpen(event, stage)),
    async (world, owner, event, random) => {
      const next = stageNames.find((stage) => event.stages[stage].status !== 'approved') ?? 'results';
      await submitStage(world, owner, event.id, random.next() < 0.8 ? next : random.pick(stageNames));
    },
  ),
  onEvent(
    'an organizer pays the fee of a competition',
    7,
    ({ feeId }, world) => feeId !== null && world.auditor.model.applications.get(feeId)?.isPaid === false,
    (world, owner, event) => payFee(world, owner, event),
  ),
  onEvent('an organizer sets the intake', 4, isLivingEvent, async (world, owner, event, random) => {
    const now = world.now.getTime();
    const opensAt = weighted<number | null>(random, [
      [now, 4],
      [now + random.between(1, 10) * dayMs, 3],
      [event.startsAt + random.between(-2, 2) * hourMs, 1],
      [null, 1],
    ]);
    const closesAt = weighted<string | null>(random, [
      [null, 4],
      [isoOf(event.startsAt - random.between(1, 10) * dayMs), 2],
      [isoOf(event.endsAt).slice(0, 10), 2],
      [isoOf(event.endsAt + random.between(-1, 2) * dayMs), 1],
    ]);
    const body = {
      opens_at: opensAt === null ? null : isoOf(opensAt),
      closes_at: closesAt,
      classes: ['Абсолют', 'Юниор', 'N2'].slice(0, random.between(1, 3)).map((name) => withPlaces(world, event, name, random)),
    };
    await world.call(owner, 'PUT /events/{id}/registration-settings', { params: { id: event.id }, body });
  }),
  onEvent('an organizer adds a bulletin', 4, isLivingEvent, async (world, owner, { id }, random) => {
    const text = `Bulletin of event ${id}, made as request ${world.exchanges.length}`;
    const fileId = random.next() < 0.9 ? await makePdf(world, owner, text) : oneOf(random, world.auditor.model.files.keys());
    if (!fileId) return;
    const body = {
      file_id: fileId,
      title: `Бюллетень № ${random.between(1, 9)}`,
      kind: random.pick(['bulletin', 'scheme', 'schedule', 'other']),
    };
    await world.call(owner, 'POST /events/{id}/additional-documents', { params: { id }, body });
  }),
  {
    name: 'an organizer deletes a bulletin',
    weight: 1.5,
    async take(world, random) {
      const { model, inquiry } = world.auditor;
      const document = oneOf(random, model.additionalDocuments.values());
      const event = document && model.events.get(document.eventId);
      const owner = event && inquiry.personOf(model.profiles.get(event.profileId)?.ownerId ?? 0);
      if (!document || !owner) return;
      const params = { id: document.eventId, document_id: document.id };
      await world.call(owner, 'DELETE /events/{id}/additional-documents/{document_id}', { params });
    },
  },
  onEvent('an organizer cancels a competition', 0.8, isLivingEvent, (world, owner, { id }, random) =>
    world.call(owner, 'POST /events/{id}/cancel', { params: { id }, body: { reason: random.pick(reasons) } }),
  ),
  onEvent(
    'an organizer tries to cancel a published competition',
    1,
    ({ status }) => status === 'published' || status === 'completed',
    (world, owner, { id, status }, random) =>
      status === 'published' || status === 'completed'
        ? world.call(owner, 'POST /events/{id}/cancel', { params: { id }, body: { reason: random.pick(reasons) } })
        : Promise.resolve(),
  ),
  {
    name: 'a person tries the competition of another',
    weight: 1,
    async take(world, random) {
      const [event, person] = [oneOf(random, world.auditor.model.events.values()), anyone(world, random)];
      if (!event || !person) return;
      const [operation, body] = random.pick<[string, unknown]>([
        ['POST /events/{id}/submit', { stage: 'details' }],
        ['POST /events/{id}/cancel', { reason: reasons[1] }],
        ['PATCH /events/{id}', { location: 'Elsewhere' }],
        ['PUT /events/{id}/registration-settings', { classes: ['Mine'] }],
        ['POST /contracts', null],
      ]);
      const params = operation === 'POST /contracts' ? {} : { id: event.id };
      await world.call(person, operation, { params, body: body ?? { event_id: event.id } });
    },
  },
];

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** In UTC+5, whole seconds. */
export function isoOf(instant: number): string {
  return `${new Date(Math.floor(instant / 1000) * 1000 + 5 * hourMs).toISOString().slice(0, 19)}+05:00`;
}

/** One day or some, soon or in months, across New Year; some are impossible, some begin in the past. */
function datesFrom(world: World, random: Random): Record<string, string> {
  const { today } = world.auditor.inquiry;
  const year = Number(today.slice(0, 4));
  const [first, last] = weighted<[string, string]>(random, [
    [[addDays(today, 20), addDays(today, 21)], 3],
    [[addDays(today, random.between(3, 120)), ''], 6],
    [[`${year}-12-31`, `${year + 1}-01-01`], 1],
    [[addDays(today, -1), addDays(today, 1)], 1],
    [[addDays(today, 30), addDays(today, 29)], 0.4],
    [[addDays(today, 30), addDays(today, 398)], 0.3],
  ]);
  const end = last === '' ? addDays(first, random.between(0, 6)) : last;
  return { starts_at: `${first}T10:00:00+05:00`, ends_at: random.next() < 0.3 ? end : `${end}T18:30:00+05:00` };
}

/** A class, sometimes with one place. Two offers of a limited class could end in one second, in an order that no rule names. */
function withPlaces(world: World, { id }: Event, name: string, random: Random): string | SentClass {
  const { model } = world.auditor;
  const isAmbiguous = registrationsOf(model, id).filter(({ status }) => status === 'offered').length > 1;
  if (isAmbiguous || random.next() < 0.6) return name;
  return { name, capacity: 1, waiting_list: random.next() < 0.8, offer_hours: random.pick([1, 24, 48]) };
}
