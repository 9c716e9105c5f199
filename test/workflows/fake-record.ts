import type { Activities } from '../../activities/index.ts';
import type { ProcessCommand, ProcessView } from '../../workflows/process.contract.ts';

/** One run of an activity, as a record saw it. */
export interface Call {
  activity: keyof Activities;
  command: ProcessCommand<unknown> | null;
  args: unknown;
}

/** A record behind a process: it answers every activity with its view, and a test says what the activity does first. */
export class FakeRecord {
  view: ProcessView = {
    stage: 'pending',
    waitingFor: 'administrator',
    details: 'Waits for an administrator.',
    isOver: false,
    wakeAfterMs: null,
  };
  readonly calls: Call[] = [];
  /** Runs inside each activity; what it throws, the activity throws. */
  onCall: (call: Call) => Promise<void> | void = () => undefined;

  get activities(): (keyof Activities)[] {
    return this.calls.map(({ activity }) => activity);
  }

  async run(activity: keyof Activities, command: ProcessCommand<unknown> | null, args: unknown = null): Promise<ProcessView> {
    const call = { activity, command, args };
    this.calls.push(call);
    await this.onCall(call);
    return this.view;
  }
}

/** Records by the name of their process, each made when it is first asked for. */
export class FakeRecords {
  private readonly records = new Map<string, FakeRecord>();

  of(process: string): FakeRecord {
    const record = this.records.get(process) ?? new FakeRecord();
    this.records.set(process, record);
    return record;
  }

  /** Every activity of every process, without exception: a new one that is missing here does not compile. */
  activities(): Activities {
    const run = (
      kind: string,
      id: number | string,
      activity: keyof Activities,
      command: ProcessCommand<unknown> | null,
      args: unknown = null,
    ) => this.of(`${kind}/${id}`).run(activity, command, args);
    return {
      submitApplication: (id, command) => run('application', id, 'submitApplication', command),
      payApplication: (id, command) => run('application', id, 'payApplication', command),
      reviewApplication: (id, command) => run('application', id, 'reviewApplication', command),
      cancelApplication: (id, command) => run('application', id, 'cancelApplication', command),
      reconsiderApplication: (id) => run('application', id, 'reconsiderApplication', null),
      makeCertificate: async (id) => void (await run('application', id, 'makeCertificate', null)),
      reviewDocument: (id, command) => run('document', id, 'reviewDocument', command),
      reconsiderDocument: (id) => run('document', id, 'reconsiderDocument', null),
      submitProfile: (id, command) => run('profile', id, 'submitProfile', command),
      reviewProfile: (id, command) => run('profile', id, 'reviewProfile', command),
      reconsiderProfile: (id) => run('profile', id, 'reconsiderProfile', null),
      checkoutInvoice: (id, command) => run('invoice', id, 'checkoutInvoice', command),
      verifyInvoice: (id, command) => run('invoice', id, 'verifyInvoice', command),
      reconcileInvoice: (id, args) => run('invoice', id, 'reconcileInvoice', null, args),
      expireSecret: async (input) => void (await run(input.kind, input.holder, 'expireSecret', null)),
      sweepDue: async (kind) => this.count('sweepDue', kind),
      sweepOrphans: async (kind) => this.count('sweepOrphans', kind),
      sweepLeftovers: async () => this.count('sweepLeftovers', null),
    };
  }

  /** The sweeper's activities answer with how many records they drove: here, how many activities ran before. */
  private async count(activity: keyof Activities, kind: string | null): Promise<number> {
    const sweeper = this.of('sweeper');
    await sweeper.run(activity, null, kind);
    return sweeper.calls.length;
  }
}
