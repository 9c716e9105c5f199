import type { TestClient } from '../../support/client.ts';
import { letBankPay, type Step, takeStep } from '../../support/factories/take-step.ts';
import { useRegistry } from '../../support/use-registry.ts';

/** Walks the steps that readiness names, each as the party that it names, from many states to the certificate (APP-4). */

const { api, make, administrator } = await useRegistry();

const rulesOf = async (owner: TestClient, id: number): Promise<(Step & { ok: boolean })[]> =>
  owner.expect(200, await owner.get(`/applications/${id}/readiness`)).body.data;

/** Takes the first named step until none is left, and expects that each moves its rule. @returns the steps and the last rules */
async function walk(owner: TestClient, id: number) {
  const steps: string[] = [];
  for (let rules = await rulesOf(owner, id); ; rules = await rulesOf(owner, id)) {
    const last = steps.at(-1);
    const step = rules.find(({ fix }) => fix !== null);
    const isAtBank = rules.some(({ waiting_for: party }) => party === 'bank');
    if (step === undefined && !isAtBank) return { steps, rules };
    const next = step ? `${step.rule} ${step.fix?.method} ${step.fix?.path.replace(/\d+/, 'N')}` : 'bank';
    // A step that changes nothing would be named again.
    expect({ steps, next }).not.toEqual({ steps, next: last });
    if (step) await takeStep({ owner, administrator, make }, step, id);
    else await letBankPay(api, owner);
    steps.push(next);
    if (steps.length > 25) throw new Error(`walks without an end: ${steps.join(', ')}`);
  }
}

type Review = 'draft' | 'pending' | 'approved' | 'changes' | 'cancelled';
interface Start {
  application: 'draft' | 'submitted' | 'changes' | 'approved';
  profile: Review;
  photo: Review | 'none';
  medical: 'none' | 'pending' | 'approved' | 'changes' | 'cancelled' | 'expired';
  money: 'none' | 'part' | 'enough';
}

async function begin({ application, profile, photo, medical, money }: Start): Promise<{ owner: TestClient; id: number }> {
  const owner = await api.user();
  const on = await make.athlete(owner);
  const isPaid = application === 'approved';
  const { id } = await make.application(owner, { status: application, on });
  const [, medicalId = 0] = on.documentIds;
  if (!isPaid && money !== 'none') await make.money(owner, money === 'enough' ? 2_000_000 : 10_000);
  await api.sql('update profiles set status = $2, photo_status = $3, photo_id = case when $4 then photo_id end where id = $1', [
    on.profileId,
    profile,
    photo === 'none' ? 'draft' : photo,
    photo !== 'none',
  ]);
  if (medical === 'none') await api.sql('delete from application_documents where document_id = $1', [medicalId]);
  else await api.sql('update documents set status = $2 where id = $1', [medicalId, medical]);
  return { owner, id };
}

test.each<Start>([
  { application: 'draft', profile: 'draft', photo: 'none', medical: 'none', money: 'none' },
  { application: 'draft', profile: 'changes', photo: 'changes', medical: 'pending', money: 'part' },
  { application: 'draft', profile: 'cancelled', photo: 'draft', medical: 'expired', money: 'enough' },
  { application: 'draft', profile: 'approved', photo: 'cancelled', medical: 'cancelled', money: 'enough' },
  { application: 'submitted', profile: 'changes', photo: 'approved', medical: 'changes', money: 'part' },
  { application: 'submitted', profile: 'pending', photo: 'changes', medical: 'expired', money: 'enough' },
  { application: 'submitted', profile: 'cancelled', photo: 'cancelled', medical: 'none', money: 'none' },
  { application: 'changes', profile: 'approved', photo: 'pending', medical: 'approved', money: 'enough' },
  { application: 'changes', profile: 'draft', photo: 'draft', medical: 'changes', money: 'none' },
  { application: 'approved', profile: 'changes', photo: 'approved', medical: 'approved', money: 'none' },
  { application: 'approved', profile: 'approved', photo: 'changes', medical: 'cancelled', money: 'none' },
  { application: 'approved', profile: 'pending', photo: 'cancelled', medical: 'pending', money: 'none' },
])('APP-4, PRO-11: from $application, profile $profile, photo $photo, medical $medical, money $money to a certificate', async (start) => {
  const { owner, id } = await begin(start);
  const { steps, rules } = await walk(owner, id);
  expect({ steps, unmet: rules.filter(({ ok }) => !ok) }).toMatchObject({ unmet: [] });
  expect(owner.expect(200, await owner.get(`/applications/${id}`)).body.data).toMatchObject({ status: 'approved', paid: true });
});

test('a cancelled application names no step', async () => {
  const owner = await api.user();
  const { id } = await make.application(owner, { status: 'cancelled' });
  for (const rule of await rulesOf(owner, id)) expect(rule).toMatchObject({ waiting_for: null, fix: null });
  expect(owner.expect(200, await owner.get(`/applications/${id}`)).body.data.readiness.waiting_for).toBeNull();
});
