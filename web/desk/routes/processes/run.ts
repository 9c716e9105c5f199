import { useEffect, useRef, useState } from 'react';
import type { components } from '../../../../client/src/index.ts';
import { registry } from '../../shared/registry.ts';

export type Process = components['schemas']['ListedProcess'];
type Request = Pick<components['schemas']['ProcessAction'], 'action' | 'reason'>;
export type Action = Request['action'];

/** What came of the request for one process. */
export type Outcome = { is: 'queued' | 'sent' } | { is: 'done'; state: string } | { is: 'refused'; error: unknown };

/** An action of an administrator on some processes; its outcomes by `workflow_id`. */
export interface Run extends Request {
  processes: readonly Process[];
  outcomes: Readonly<Record<string, Outcome>>;
}

const mostAtOnce = 4;

/** Whether a process still waits for its outcome. */
export function isRunning(run: Run | null): boolean {
  return run !== null && Object.values(run.outcomes).some(({ is }) => is === 'queued' || is === 'sent');
}

/** Requests an action for one process after the other, a few at once, until the page is left. */
export function useRun(onOver: () => void) {
  const [run, setRun] = useState<Run | null>(null);
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => void (isOpen.current = false);
  }, []);
  const note = (ref: string, outcome: Outcome) => setRun((now) => now && { ...now, outcomes: { ...now.outcomes, [ref]: outcome } });
  const send = async ({ workflow_id: ref, kind, id }: Process, body: Request) => {
    note(ref, { is: 'sent' });
    try {
      const { data } = await registry.POST('/admin/processes/{kind}/{id}/actions', { params: { path: { kind, id } }, body });
      note(ref, { is: 'done', state: data.state });
    } catch (error) {
      note(ref, { is: 'refused', error });
    }
  };
  const sendAll = async (processes: readonly Process[], body: Request) => {
    const queued = [...processes];
    const sendNext = async () => {
      for (let next = queued.shift(); next !== undefined && isOpen.current; next = queued.shift()) await send(next, body);
    };
    await Promise.all(Array.from({ length: mostAtOnce }, sendNext));
    onOver();
  };
  const start = (body: Request, processes: readonly Process[]) => {
    setRun({ ...body, processes, outcomes: Object.fromEntries(processes.map((process) => [process.workflow_id, { is: 'queued' }])) });
    void sendAll(processes, body);
  };
  return {
    run,
    start,
    again: (process: Process, { action, reason }: Run) => void sendAll([process], { action, reason }),
    forget: () => setRun(null),
  };
}
