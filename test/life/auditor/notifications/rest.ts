import type { Inquiry } from '../inquiry.ts';

/** After an hour without a step: nothing is stuck or failed, and nothing changes any more. */
export async function askRest({ asAdministrator, eventually, same }: Inquiry, sweep: () => Promise<void>): Promise<void> {
  for (const state of ['stuck', 'failed'])
    await eventually(async () => {
      const processes = await asAdministrator('GET /admin/processes', { query: `?state=${state}&limit=100` });
      const shown = (processes.data as { workflow_id: string; reason: string | null }[]).map(
        ({ workflow_id: id, reason }) => `${id}: ${reason}`,
      );
      same(`no process is ${state} after an hour of rest (ADM-3)`, [], shown);
    });
  const waiting = await asAdministrator('GET /admin/processes', { query: '?state=waiting&limit=100' });
  // A webhook may wait for the next change.
  const idle = (waiting.data as { workflow_id: string; waiting_for: string | null; next_timer_at: string | null }[]).filter(
    ({ workflow_id: id, waiting_for: party, next_timer_at: timer }) => party === null && timer === null && !id.startsWith('webhook/'),
  );
  same(
    'every process waits for a party or for a date (ADM-3)',
    [],
    idle.map(({ workflow_id: id }) => id),
  );
  await eventually(async () => {
    const { next } = (await asAdministrator('GET /changes')).meta;
    await sweep();
    const { data } = await asAdministrator('GET /changes', { query: `?after=${encodeURIComponent(next)}` });
    const found = (data as { type: string; subject: string }[]).map(({ type, subject }) => `${type} ${subject}`);
    same('a sweep finds nothing to do after an hour of rest', [], found);
  });
}
