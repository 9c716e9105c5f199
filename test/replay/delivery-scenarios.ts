import { waitFor } from '../support/wait-for.ts';
import type { Scenario, Stage } from './scenarios.ts';

/** Notifies an account about a photo by an administrator's decision. @returns the account */
async function tellOne({ make, administrator }: Stage): Promise<number> {
  const owner = await make.person();
  const profileId = await make.profile(owner, { status: 'pending' });
  administrator.expect(200, await administrator.post('/admin/review', { kind: 'photo', id: profileId, decision: 'approve' }));
  return owner.userId;
}

export const deliveryScenarios: Scenario[] = [
  {
    workflowType: 'notificationDelivery',
    name: 'sent-at-once',
    async play(stage) {
      const userId = await tellOne(stage);
      // Before a round comes to it.
      await stage.platform.processes.wake({ process: `delivery/${userId}`, requestId: 'somebody-asks' });
      const process = () => stage.platform.processes.find(`delivery/${userId}`);
      await waitFor(process, (found) => found?.status === 'completed', 'the mail to go out');
      return `delivery/${userId}`;
    },
  },
  {
    workflowType: 'deliveryRound',
    name: 'two-accounts',
    async play(stage) {
      const ids = [await tellOne(stage), await tellOne(stage)];
      const workflowId = 'delivery-round/two-accounts';
      await stage.engine.workflow.execute('deliveryRound', { workflowId, taskQueue: 'registry', args: [{ ids }] });
      return workflowId;
    },
  },
  {
    workflowType: 'notificationDelivery',
    name: 'away-asked-and-sent',
    async play(stage) {
      const { administrator } = stage;
      const putBack = await stage.hideMails();
      const userId = await tellOne(stage);
      const path = `/admin/processes/delivery/${userId}`;
      const row = async () => (await administrator.get(`/admin/processes?q=delivery/${userId}`)).body.data[0];
      await waitFor(row, (found) => found?.waiting_for === 'date' && found.reason !== null, 'the mail to be postponed');
      const retry = () => administrator.post(`${path}/actions`, { action: 'retry', reason: 'the folder is back' });
      administrator.expect(503, await retry());
      await waitFor(
        row,
        (found) => found?.next_timer_at !== null && Date.parse(found.next_timer_at) < Date.now() + 1_000,
        'the next try to come',
      );
      await putBack();
      // It leaves a server that was away alone for two seconds.
      await waitFor(retry, ({ status }) => status !== 503, 'the mail to go out');
      const process = () => stage.platform.processes.find(`delivery/${userId}`);
      await waitFor(process, (found) => found?.status === 'completed', 'the process to end');
      return `delivery/${userId}`;
    },
  },
];
