import { makeScan } from '../../../support/papers/scans.ts';
import type { Random } from '../../../support/random.ts';
import type { Contract, Event, StageName } from '../../auditor/competitions/competition-records.ts';
import { isLivingEvent, liveContractOf } from '../../auditor/competitions/competitions-of.ts';
import { wordOf } from '../../marks.ts';
import { makePdf } from '../../papers.ts';
import { administratorPassword } from '../../registry.ts';
import type { Call, Person, World } from '../../world.ts';
import { oneOf, type Step } from '../step.ts';

/** What organizers do in several steps. Each returns null, or does nothing, when the registry refuses. */

/** The data of an organizer: what is public of it, and what is not (EVT-17). */
export function organizerData(world: World, organization: string): Record<string, string> {
  const mark = world.nextMark();
  return {
    organization_name: organization,
    director_name: `Сергеев ${wordOf(mark)}`,
    director_position: 'Директор',
    legal_address: `Алматы, пр. Абая, 1, оф. ${1000 + mark}`,
    phone: `+7702${1_000_000 + mark}`,
    email: `club${1000 + mark}@example.kz`,
  };
}

/** @param fields instead of the usual ones */
export async function makeEvent(world: World, owner: Person, profileId: number, fields: Record<string, unknown>): Promise<number | null> {
  const service = [...world.auditor.model.services.values()].find(({ kind }) => kind === 'event_fee');
  const body = {
    profile_id: profileId,
    service_id: service?.id,
    discipline_id: service?.disciplineIds[0],
    title: `Алатау ралли ${wordOf(world.nextMark())}`,
    location: `Алматы, ${wordOf(world.nextMark())}`,
    ...fields,
  };
  const made = await world.call(owner, 'POST /events', { body });
  return made.status === 201 ? made.data.id : null;
}

export async function makeContract(world: World, owner: Person, eventId: number): Promise<number | null> {
  const made = await world.call(owner, 'POST /contracts', { body: { event_id: eventId, data: {} } });
  return made.status === 201 ? made.data.id : null;
}

/** Sends a scan of all pages of the agreement, which differs from every other. */
export async function sendScan(world: World, owner: Person, contractId: number): Promise<void> {
  const { file } = await scanOf(world, contractId, world.auditor.model.contracts.get(contractId)?.pages ?? 1);
  await world.call(owner, 'POST /contracts/{id}/scan', { params: { id: contractId }, file });
}

/** Sends the agreement as the registry made it (AGR-4). */
export async function sendOriginal(world: World, owner: Person, { id, pages }: Pick<Contract, 'id' | 'pages'>): Promise<void> {
  const { status, bytes } = await world.call(owner, 'GET /contracts/{id}/original', { params: { id } });
  if (status !== 200) return;
  await world.call(owner, 'POST /contracts/{id}/scan', { params: { id }, file: { bytes, name: 'signed.pdf', pages } });
}

/** A PDF of so many pages that is no other. */
export async function scanOf(world: World, contractId: number, pages: number): Promise<Required<Pick<Call, 'file'>>> {
  const bytes = await makeScan(`The signed agreement ${contractId}, sent as request ${world.exchanges.length}`, pages);
  return { file: { bytes, name: 'signed.pdf', pages } };
}

export async function attachFile(world: World, owner: Person, eventId: number, stage: 'regulations' | 'results'): Promise<void> {
  const fileId = await makePdf(world, owner, `${stage} of event ${eventId}, made as request ${world.exchanges.length}`);
  if (fileId === null) return;
  await world.call(owner, 'PATCH /events/{id}', { params: { id: eventId }, body: { stage, files: { [stage]: fileId } } });
}

export async function submitStage(world: World, owner: Person, eventId: number, stage: StageName): Promise<void> {
  await world.call(owner, 'POST /events/{id}/submit', { params: { id: eventId }, body: { stage } });
}

/** Pays the fee from a wallet that the federation fills where it is too poor. */
export async function payFee(world: World, owner: Person, { feeId }: Event): Promise<void> {
  const { model } = world.auditor;
  const fee = feeId === null ? undefined : model.applications.get(feeId);
  if (!fee) return;
  if ((model.accounts.get(owner.accountId)?.balance ?? 0) < fee.amount) await giveMoney(world, owner, fee.amount);
  await world.call(owner, 'POST /applications/{id}/pay', { params: { id: fee.id } });
}

export async function giveMoney(world: World, { accountId }: Person, tiyn: number): Promise<void> {
  const body = {
    user_id: accountId,
    amount: `${Math.ceil(tiyn / 100)}.00`,
    direction: 'credit',
    reason: 'A payment arrived without its number.',
    password: administratorPassword,
  };
  await world.call(world.administrator, 'POST /admin/ledger/corrections', { body });
}

/** What an event that is over refuses: its agreement, bulletins, fields and settings stay as they are (AGR-7, EVT-10). */
export async function tryWhatIsOver(world: World, eventId: number): Promise<void> {
  const { model, inquiry } = world.auditor;
  const event = model.events.get(eventId);
  const owner = event && inquiry.personOf(model.profiles.get(event.profileId)?.ownerId ?? 0);
  if (!event || !owner || isLivingEvent(event)) return;
  const params = { id: eventId };
  const contract = liveContractOf(model, eventId);
  if (contract) {
    const ofContract = { params: { id: contract.id } };
    await world.call(owner, 'POST /contracts/{id}/replace', { ...ofContract, body: { reason: 'The dates have moved.' } });
    if (contract.status === 'pending')
      await world.call(world.administrator, 'POST /admin/contracts/{id}/review', { ...ofContract, body: { decision: 'confirm' } });
    else await sendScan(world, owner, contract.id);
  }
  const document = [...model.additionalDocuments.values()].find((one) => one.eventId === eventId);
  if (document) {
    const ofDocument = { ...params, document_id: document.id };
    await world.call(owner, 'DELETE /events/{id}/additional-documents/{document_id}', { params: ofDocument });
  }
  const fileId = await makePdf(world, owner, `A late bulletin of event ${eventId}, made as request ${world.exchanges.length}`);
  const bulletin = { file_id: fileId, title: 'Бюллетень № 10', kind: 'bulletin' };
  if (fileId !== null) await world.call(owner, 'POST /events/{id}/additional-documents', { params, body: bulletin });
  await world.call(owner, 'PATCH /events/{id}', { params, body: { title: 'A title that comes too late' } });
  await world.call(owner, 'PUT /events/{id}/registration-settings', { params, body: { classes: ['Абсолют'] } });
}

type Act<Subject> = (world: World, owner: Person, subject: Subject, random: Random) => Promise<unknown>;

/** A step of an event's organizer. @param isFitting which events it is meant for; now and then it is taken on another */
export function onEvent(name: string, weight: number, isFitting: (event: Event, world: World) => boolean, take: Act<Event>): Step {
  return {
    name,
    weight,
    async take(world, random) {
      const { model, inquiry } = world.auditor;
      const all = [...model.events.values()];
      const fitting = all.filter((event) => isFitting(event, world));
      const event = oneOf(random, random.next() < 0.85 ? fitting : all);
      const owner = event && inquiry.personOf(model.profiles.get(event.profileId)?.ownerId ?? 0);
      if (event && owner) await take(world, owner, event, random);
    },
  };
}

/** A step of an agreement's organizer. @param isFitting as of `onEvent` */
export function onContract(name: string, weight: number, isFitting: (contract: Contract) => boolean, take: Act<Contract>): Step {
  return {
    name,
    weight,
    async take(world, random) {
      const { model, inquiry } = world.auditor;
      const all = [...model.contracts.values()];
      const contract = oneOf(random, random.next() < 0.85 ? all.filter(isFitting) : all);
      const event = contract && model.events.get(contract.eventId);
      const owner = event && inquiry.personOf(model.profiles.get(event.profileId)?.ownerId ?? 0);
      if (contract && owner) await take(world, owner, contract, random);
    },
  };
}
