import type { BaselineActivities } from './activities.ts';
import type { ProcessView } from './process.contract.ts';

const yearMs = 365 * 86_400_000;

function view(stage: string, waitingFor: ProcessView['waitingFor']): ProcessView {
  return { stage, waitingFor, details: 'A baseline that does nothing.', isOver: false, wakeAfterMs: yearMs };
}

/**
 * Steps that do nothing but say what the real ones would say, so that the processes take the same way through the same messages: what is
 * left of a lifecycle is HTTP, SQL, the bank and the PDF.
 * @param onCertificate hears of each certificate that is not made
 */
export function createBaselineActivities(onCertificate: (applicationId: number) => void) {
  const stages = new Map<number, ProcessView>();
  const move = (id: number, next: ProcessView) => {
    stages.set(id, next);
    return next;
  };
  const invoices = new Map<number, ProcessView>();
  const moveInvoice = (id: number, next: ProcessView) => {
    invoices.set(id, next);
    return next;
  };
  const paid: ProcessView = { stage: 'paid', waitingFor: 'nobody', details: 'Paid.', isOver: true, wakeAfterMs: null };
  return {
    reconsiderApplication: async (id: number) => stages.get(id) ?? view('draft', 'owner'),
    submitApplication: async (id: number) => move(id, view('submitted', 'owner')),
    payApplication: async (id: number) => move(id, view('approved', 'date')),
    makeCertificate: async (id: number) => onCertificate(id),
    checkoutInvoice: async (id: number) => moveInvoice(id, view('pending', 'bank')),
    verifyInvoice: async (id: number) => moveInvoice(id, paid),
    reconcileInvoice: async (id: number, { askNow }: { askNow: boolean }) =>
      askNow ? moveInvoice(id, paid) : (invoices.get(id) ?? view('created', 'owner')),
    reconsiderDocument: async () => view('pending', 'administrator'),
    reviewDocument: async () => view('approved', 'date'),
  } satisfies Partial<BaselineActivities>;
}
