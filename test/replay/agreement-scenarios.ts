import { reconsiderUpdate } from '../../workflows/contracts/process.contract.ts';
import type { TestClient } from '../support/client.ts';
import { approve } from '../support/factories.ts';
import { makeContract, withPdf } from '../support/factories/contracts.ts';
import { requests } from '../support/factories/event-steps.ts';
import { organizerData } from '../support/factories/events.ts';
import { setSigningBy } from '../support/factories/signings.ts';
import { makeScan } from '../support/papers/scans.ts';
import { waitFor } from '../support/wait-for.ts';
import type { Scenario, Stage } from './scenarios.ts';

/** An organizer with an event that has no agreement yet, in a registry where one can be made. */
async function openEvent({ make, administrator, today }: Stage): Promise<{ owner: TestClient; eventId: number }> {
  await setSigningBy(administrator);
  const owner = await make.person();
  const body = { kind: 'organizer', data: organizerData, photo_id: await make.file(owner, 'photo') };
  const { id } = owner.expect(201, await owner.post('/profiles', body)).body.data;
  owner.expect(200, await owner.post(`/profiles/${id}/submit`));
  await approve(administrator, 'profile', id);
  const now = Date.parse(await today());
  const dates = { starts_at: new Date(now + 90 * dayMs).toISOString(), ends_at: new Date(now + 91 * dayMs).toISOString() };
  return { owner, eventId: owner.expect(201, await owner.post('/events', requests.event(id, dates))).body.data.id };
}

const dayMs = 86_400_000;
const sendScan = async (owner: TestClient, { id, pages }: { id: number; pages: number }, text: string) =>
  owner.sendFile(`/contracts/${id}/scan`, await makeScan(text, pages));

export const agreementScenarios: Scenario[] = [
  {
    workflowType: 'agreement',
    name: 'confirmed-after-a-rejection',
    async play(stage) {
      const { owner, eventId } = await openEvent(stage);
      const { administrator } = stage;
      const contract = await makeContract(owner, eventId);
      const review = (body: unknown) => administrator.post(`/admin/contracts/${contract.id}/review`, body);
      administrator.expect(409, await review({ decision: 'confirm' }));
      owner.expect(200, await sendScan(owner, contract, 'first'));
      administrator.expect(200, await review({ decision: 'reject', reason: 'A page is missing.' }));
      owner.expect(200, await sendScan(owner, contract, 'second'));
      owner.expect(200, await owner.post(`/contracts/${contract.id}/request-confirmation`));
      administrator.expect(200, await review({ decision: 'confirm' }));
      return `agreement/${contract.id}`;
    },
  },
  {
    workflowType: 'agreement',
    name: 'pdf-that-cannot-be-made',
    async play(stage) {
      const { owner, eventId } = await openEvent(stage);
      const { administrator, engine } = stage;
      const { signature_file_id: fileId } = administrator.expect(200, await administrator.get('/admin/federation-signing')).body.data;
      const putBack = await stage.hideFile(administrator.expect(200, await administrator.get(`/files/${fileId}`)).bytes);
      owner.expect(409, await owner.post('/contracts', { event_id: eventId }));
      const [{ id }] = owner.expect(200, await owner.get(`/contracts?event_id=${eventId}`)).body.data;
      const process = async () => (await administrator.get(`/contracts/${id}`)).body.data.process;
      await waitFor(process, ({ waiting_for }) => waiting_for === 'support', 'the process to be stuck');
      owner.expect(409, await owner.get(`/contracts/${id}/original`));
      await putBack();
      await engine.workflow
        .getHandle(`agreement/${id}`)
        .executeUpdate(reconsiderUpdate, { args: [{ requestId: 'support-has-mended-it' }] });
      await waitFor(process, ({ waiting_for }) => waiting_for === 'owner', 'the process to go on');
      await withPdf(owner, id);
      owner.expect(200, await owner.post(`/contracts/${id}/cancel`, { reason: 'There is no money.' }));
      return `agreement/${id}`;
    },
  },
  {
    workflowType: 'agreement',
    name: 'reminded-and-replaced',
    async play(stage) {
      const { owner, eventId } = await openEvent(stage);
      const { id } = await makeContract(owner, eventId);
      const now = Date.parse(await stage.today());
      await stage.travelTo(new Date(now + 8 * dayMs).toISOString());
      owner.expect(200, await owner.post(`/contracts/${id}/replace`, { reason: 'The dates have moved.' }));
      return `agreement/${id}`;
    },
  },
];
