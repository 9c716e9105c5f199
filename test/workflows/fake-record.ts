import type { Activities } from '../../activities/index.ts';
import { definitions } from '../../src/registry/areas.ts';
import type { SweepPosition, SweepStep } from '../../workflows/contracts/sweep.contract.ts';
import { waitFor } from '../support/wait-for.ts';
import type { ProcessCommand, ProcessView } from '../../workflows/contracts/process.contract.ts';

/** One run of an activity on a record. */
export interface Call {
  /** Name of the activity, `<kind>.<command>` for the step of a process. */
  activity: string;
  command: ProcessCommand<unknown> | null;
  args: unknown;
}

/** The record of a process: it answers every activity with its view, and a test defines what the activity does first. */
export class FakeRecord {
  view: ProcessView = {
    stage: 'pending',
    waitingFor: 'administrator',
    details: 'Waits for an administrator.',
    isOver: false,
    isDue: false,
    timer: null,
  };
  readonly calls: Call[] = [];
  /** Runs inside each activity; its errors are the activity's errors. */
  onCall: (call: Call) => Promise<void> | void = () => undefined;

  get activities(): string[] {
    return this.calls.map(({ activity }) => activity);
  }

  /** Waits until an activity has run. @returns all that ran */
  until(activity: string): Promise<string[]> {
    return waitFor(
      () => this.activities,
      (activities) => activities.includes(activity),
      activity,
    );
  }

  async run(activity: string, command: ProcessCommand<unknown> | null, args: unknown = null): Promise<ProcessView> {
    const call = { activity, command, args };
    this.calls.push(call);
    await this.onCall(call);
    return this.view;
  }
}

/** A timer of a view. */
export function after(afterMs: number): ProcessView['timer'] {
  return { afterMs, summary: 'a test waits' };
}

/** Records by the name of their process, each made on first use. */
export class FakeRecords {
  private readonly records = new Map<string, FakeRecord>();
  /** Pages of due records that a sweep without a limit finds. */
  pagesOfDue = 2;

  of(process: string): FakeRecord {
    const record = this.records.get(process) ?? new FakeRecord();
    this.records.set(process, record);
    return record;
  }

  /** Every activity of every process: the steps follow from the definitions, and the compiler checks the others. */
  activities(): Activities {
    const run = (kind: string, id: number | string, activity: string, command: ProcessCommand<unknown> | null, args: unknown = null) =>
      this.of(`${kind}/${id}`).run(activity, command, args);
    const named: Activities = {
      makeCertificate: async (id) => void (await run('application', id, 'makeCertificate', null)),
      makeAgreement: async (id) => void (await run('agreement', id, 'makeAgreement', null)),
      makeStatusList: async (id) => void (await run('status-list', id, 'makeStatusList', null)),
      sendChanges: async (id) => void (await run('webhook', id, 'sendChanges', null)),
      eraseAccount: async (id) => void (await run('account-erasure', id, 'eraseAccount', null)),
      buildAccountExport: async (id) => void (await run('account-export', id, 'buildAccountExport', null)),
      buildNationalExport: async (id) => void (await run('national-export', id, 'buildNationalExport', null)),
      verifyInvoice: (id, command) => run('invoice', id, 'verifyInvoice', command),
      reconcileInvoice: (id) => run('invoice', id, 'reconcileInvoice', null),
      expireSecret: async (input) => void (await run(input.kind, input.holder, 'expireSecret', null)),
      // A page an activity; it drives as many records as there were calls.
      sweepOn: async ({ position, isCareful = false }) => {
        const sweeper = this.of('sweeper');
        const { steps: left, cursor, pages, driven, failed } = position ?? { ...begun, steps: sweepPlan };
        const [step, ...others] = left;
        await sweeper.run('sweepOn', null, `${step?.name} ${cursor ?? 'from its beginning'}${isCareful ? ', carefully' : ''}`);
        if (step === undefined || (isCareful && position === null)) return { ...begun, steps: left };
        const counted = { ...driven, [step.name]: (driven[step.name] ?? 0) + sweeper.calls.length };
        const isLast = step.task !== 'due' || step.pages === pages + 1 || pages + 1 === this.pagesOfDue;
        if (isLast) return { ...begun, steps: others, driven: counted, failed };
        return { steps: left, cursor: `page ${pages + 1}`, pages: pages + 1, driven: counted, failed };
      },
    };
    return { ...steps(run), ...named };
  }
}

const begun: Omit<SweepPosition, 'steps'> = { cursor: null, pages: 0, driven: {}, failed: [] };

/** The plan for the workflow of the sweeper; the real plan is in the worker. */
export const sweepPlan: SweepStep[] = [
  { name: 'due_document', task: 'due', kind: 'document', pages: null },
  { name: 'due_application', task: 'due', kind: 'application', pages: 1 },
  { name: 'expired_data', task: 'expired-data', kind: null, pages: 1 },
];

type Run = (kind: string, id: number, activity: string, command: ProcessCommand<unknown> | null) => Promise<ProcessView>;

function steps(run: Run): object {
  const entries = definitions.flatMap((process) => {
    if (process.type !== 'record') return [];
    const { kind } = process;
    return [
      [`${kind}.reconsider`, (id: number) => run(kind, id, `${kind}.reconsider`, null)],
      ...process.commands.map(({ name }) => [
        `${kind}.${name}`,
        (id: number, command: ProcessCommand<unknown>) => run(kind, id, `${kind}.${name}`, command),
      ]),
    ];
  });
  return Object.fromEntries(entries);
}
