import { isLiveContract, isLivingEvent, liveContractOf } from '../auditor/competitions/competitions-of.ts';
import type { World } from '../world.ts';
import { makeContract, onContract, onEvent, scanOf, sendOriginal, sendScan } from './organizers/organizer-acts.ts';
import type { Step } from './step.ts';

const reasons = ['Изменились даты соревнования.', 'The director has changed.', 'Келісім қажет емес.'] as const;

/** Organizers and their agreements: made, signed, sent, sent wrongly, replaced, cancelled. */
export const agreementSteps: readonly Step[] = [
  onEvent(
    'an organizer makes an agreement',
    7,
    (event, world) => isLivingEvent(event) && liveContractOf(world.auditor.model, event.id) === undefined,
    async (world, owner, event, random) => {
      if (random.next() < 0.8) return makeContract(world, owner, event.id);
      const templateId = oneTemplate(world, random.next());
      const body = { event_id: event.id, data: { notes: 'Этап проходит без зрителей.' }, ...templateId };
      return world.call(owner, 'POST /contracts', { body });
    },
  ),
  onContract(
    'an organizer sends the signed agreement',
    9,
    ({ status }) => status === 'generated' || status === 'rejected',
    async (world, owner, contract, random) => {
      const { id, pages } = contract;
      const choice = random.next();
      if (choice < 0.75) return sendScan(world, owner, id);
      if (choice < 0.85) return sendOriginal(world, owner, contract);
      const file =
        choice < 0.95 && pages > 1 ? await scanOf(world, id, pages - 1) : { file: { bytes: await world.papers.photo, name: 'signed.pdf' } };
      return world.call(owner, 'POST /contracts/{id}/scan', { params: { id }, ...file });
    },
  ),
  onContract('an organizer replaces an agreement', 2, isLiveContract, (world, owner, { id }, random) =>
    world.call(owner, 'POST /contracts/{id}/replace', { params: { id }, body: { reason: random.pick(reasons) } }),
  ),
  onEvent(
    'an organizer replaces the agreement of a changed competition',
    3,
    ({ id, ...event }, world) => {
      const terms = liveContractOf(world.auditor.model, id)?.terms;
      return terms !== undefined && Object.entries(terms).some(([name, value]) => event[name as keyof typeof terms] !== value);
    },
    async (world, owner, event, random) => {
      const contract = liveContractOf(world.auditor.model, event.id);
      if (!contract) return;
      const replaced = await world.call(owner, 'POST /contracts/{id}/replace', {
        params: { id: contract.id },
        body: { reason: random.pick(reasons) },
      });
      if (replaced.status === 200 && random.next() < 0.7) await sendScan(world, owner, replaced.data.id);
    },
  ),
  onContract('an organizer cancels an agreement', 1, isLiveContract, (world, owner, { id }, random) =>
    world.call(owner, 'POST /contracts/{id}/cancel', {
      params: { id },
      body: { reason: random.next() < 0.9 ? random.pick(reasons) : 'No.' },
    }),
  ),
  onContract('an organizer has the agreement made again', 0.5, isLiveContract, (world, owner, { id }) =>
    world.call(owner, 'POST /contracts/{id}/request-confirmation', { params: { id } }),
  ),
  onContract(
    'an organizer replaces an agreement while it is decided',
    1,
    ({ status }) => status === 'pending',
    async (world, owner, { id }, random) => {
      const own = random.next() < 0.5 ? 'replace' : 'cancel';
      const params = { id };
      await world.race([
        { by: owner, operation: `POST /contracts/{id}/${own}`, call: { params, body: { reason: reasons[0] } } },
        { by: world.administrator, operation: 'POST /admin/contracts/{id}/review', call: { params, body: { decision: 'confirm' } } },
      ]);
    },
  ),
  onEvent(
    'an organizer makes two agreements at once',
    1,
    (event, world) => isLivingEvent(event) && liveContractOf(world.auditor.model, event.id) === undefined,
    async (world, owner, { id }) => {
      await world.race([1, 2].map(() => ({ by: owner, operation: 'POST /contracts', call: { body: { event_id: id, data: {} } } })));
    },
  ),
];

/** A template by chance, also one that is not offered or unknown. */
function oneTemplate(world: World, chance: number): { template_id?: number } {
  const ids = [...world.auditor.model.templates.keys(), 999];
  const id = ids[Math.floor(chance * ids.length)];
  return id === undefined ? {} : { template_id: id };
}
