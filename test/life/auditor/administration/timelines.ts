import { ownerOfRecord } from '../accounts/records.ts';
import { followTouched } from '../applications/applications.ts';
import type { Area, Touched } from '../area.ts';
import type { Inquiry } from '../inquiry.ts';
import { expectedProcess } from './expected-processes.ts';

/** Records with a timeline: its route, and the kind of its process. Those of registrations are asked with them. */
const kinds = {
  application: { operation: 'GET /applications/{id}/timeline', process: 'application' },
  document: { operation: 'GET /documents/{id}/timeline', process: 'document' },
  invoice: { operation: 'GET /invoices/{id}/timeline', process: 'invoice' },
  event: { operation: 'GET /events/{id}/timeline', process: 'event' },
  contract: { operation: 'GET /contracts/{id}/timeline', process: 'agreement' },
} as const;
type Kind = keyof typeof kinds;

interface Step {
  step: string;
  waiting_for: string | null;
}

/** The timeline of a record tells what the audit tells, and ends with the party whose turn it is (ADM-5). */
export const timelinesArea: Area = {
  async ask(inquiry, touched) {
    // What a deleted profile took along has none.
    const first = touched.flatMap(subjectOf).find(({ kind, id }) => ownerOfRecord(inquiry.model, kind, id) !== null);
    if (first) await askTimeline(inquiry, first);
  },

  async askAll(inquiry) {
    for (const subject of inquiry.model.everything().flatMap(subjectOf)) await askTimeline(inquiry, subject);
  },
};

interface Subject {
  kind: Kind;
  id: number;
}

function subjectOf({ kind, id }: Touched): Subject[] {
  return kind in kinds ? [{ kind: kind as Kind, id: Number(id) }] : [];
}

async function askTimeline(inquiry: Inquiry, subject: Subject): Promise<void> {
  const { kind, id } = subject;
  const { model, asAdministrator, same } = inquiry;
  const { operation, process } = kinds[kind];
  await inquiry.eventually(async () => {
    await followTouched(inquiry, [subject]);
    const steps = (await asAdministrator(operation, { params: { id } })).data as Step[];
    const told = steps.map(({ step }) => step).filter((step) => !isToldElsewhere(step));
    const recorded = await inquiry.listed<{ action: string }>('GET /admin/audit', `?category=action&subject=${kind}/${id}`);
    const facts = recorded.flatMap(({ action }) => {
      const [of, fact = ''] = action.split('.');
      // The steps of an invoice are all that was done with it, also how the bank came to be asked.
      return (of === 'process' && kind !== 'invoice') || isNoStep(fact) ? [] : [fact];
    });
    same(`the timeline of ${kind} ${id} tells its facts (ADM-5)`, facts.toSorted(), told.toSorted());
    const expected = expectedProcess(model, process, id, inquiry.now);
    if (expected?.isLiving !== true || expected.waitingFor === undefined) return;
    same(`the timeline of ${kind} ${id} ends with the party whose turn it is (ADM-5)`, expected.waitingFor, steps.at(-1)?.waiting_for);
  });
}

/** Answers of the bank, and the payment of a fee, which the audit tells of its application. */
const isToldElsewhere = (step: string) => step.startsWith('bank_') || step === 'fee_paid';

/** Reads, the use of the signature, and facts of the participants of a competition. */
const noSteps = new Set(['read', 'seen', 'downloaded', 'exported', 'signature_applied']);
const isNoStep = (fact: string) => noSteps.has(fact) || fact.startsWith('participant_');
