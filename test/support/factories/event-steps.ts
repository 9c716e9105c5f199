import { settleAgreement } from '../../../src/areas/competitions/index.ts';
import { commit } from '../../../src/platform/commands/command.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import type { TestClient } from '../client.ts';
import { makeScan } from '../papers/scans.ts';
import { topUp } from './api.ts';
import { eventFeeServiceId } from './events.ts';

/** The service as an organizer meets it. */
export interface OrganizersService {
  platform: Platform;
  surroundings: { bank: { url: string } };
  administrator(): Promise<TestClient>;
}

const dayMs = 86_400_000;
const process = { actor: { kind: 'process' }, requestId: 'fixture', ip: null } as const;

/** Bodies of requests that organizers send. */
export const requests = {
  event: (profileId: number, options: Record<string, unknown> = {}) => ({
    profile_id: profileId,
    service_id: eventFeeServiceId,
    discipline_id: 1,
    title: 'Алатау ралли',
    location: 'Алматы',
    starts_at: new Date(Date.now() + 90 * dayMs).toISOString(),
    ends_at: new Date(Date.now() + 91 * dayMs).toISOString(),
    ...options,
  }),
  review: (id: number, stage: string, decision = 'approve', note?: string) => ({
    kind: 'event_stage',
    id,
    stage,
    decision,
    ...(note === undefined ? {} : { note }),
  }),
};

/** The steps of an organizer through the API; the contract alone, which has its own tests, is confirmed by the command that it calls. */
export function organizerSteps(service: OrganizersService) {
  const settle = (id: number, isConfirmed = true) => commit(service.platform, process, (ctx) => settleAgreement(ctx, id, isConfirmed));
  const submit = (owner: TestClient, id: number, stage: string) => owner.post(`/events/${id}/submit`, { stage });
  const read = async (owner: TestClient, id: number) => owner.expect(200, await owner.get(`/events/${id}`)).body.data;
  async function open(owner: TestClient, profileId: number, options: Record<string, unknown> = {}): Promise<number> {
    return owner.expect(201, await owner.post('/events', requests.event(profileId, options))).body.data.id;
  }
  async function pdf(owner: TestClient, text = 'regulations'): Promise<string> {
    return owner.expect(201, await owner.upload(await makeScan(`${text} ${Math.random()}`), 'other', `${text}.pdf`)).body.data.id;
  }
  async function attach(owner: TestClient, id: number, stage: string): Promise<string> {
    const fileId = await pdf(owner, stage);
    owner.expect(200, await owner.patch(`/events/${id}`, { stage, files: { [stage]: fileId } }));
    return fileId;
  }
  async function approve(id: number, stage: string): Promise<void> {
    const administrator = await service.administrator();
    administrator.expect(200, await administrator.post('/admin/review', requests.review(id, stage)));
  }
  async function payFee(owner: TestClient, id: number): Promise<number> {
    const { application_id: applicationId } = await read(owner, id);
    const { amount_minor: amountMinor } = owner.expect(200, await owner.get(`/applications/${applicationId}`)).body.data;
    await topUp(owner, service.surroundings.bank.url, (amountMinor / 100).toFixed(2));
    owner.expect(200, await owner.post(`/applications/${applicationId}/pay`));
    return applicationId;
  }
  /** Through the details, paid and approved. */
  async function publish(owner: TestClient, id: number): Promise<void> {
    await settle(id);
    owner.expect(200, await submit(owner, id, 'details'));
    await payFee(owner, id);
    await approve(id, 'details');
  }
  return { settle, submit, read, open, pdf, attach, approve, payFee, publish };
}
