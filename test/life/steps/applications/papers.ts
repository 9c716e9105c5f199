import type { Random } from '../../../support/random.ts';
import type { Document } from '../../auditor/applications/application-records.ts';
import { addDays } from '../../auditor/days.ts';
import { makeDocument } from '../../papers.ts';
import type { World } from '../../world.ts';
import { onProfile } from '../athletes.ts';
import { oneOf, type Step, weighted } from '../step.ts';
import { maybeLater } from '../time.ts';

const papers = ['identity', 'passport', 'medical', 'consent', 'driver'] as const;

const typeOf = (random: Random) =>
  weighted(
    random,
    papers.map((paper) => [paper, paper === 'identity' || paper === 'medical' ? 4 : 1]),
  );

/** Papers: their owners send and change them, administrators correct them. */
export const paperSteps: readonly Step[] = [
  onProfile('an athlete adds a paper', 14, async (world, owner, { id }, random) => {
    const { today } = world.auditor.inquiry;
    const days = weighted(random, [
      [null, 2],
      [0, 1],
      [20, 2],
      [70, 2],
      [500, 4],
    ]);
    const odd = random.next() < 0.2 ? oddDays(random, today) : {};
    await makeDocument(world, owner, id, typeOf(random), days === null ? null : addDays(today, days), odd);
  }),
  {
    name: 'an athlete changes a paper',
    weight: 5,
    async take(world, random) {
      const { model, inquiry } = world.auditor;
      const open = [...model.documents.values()].filter(({ status }) => status === 'pending' || status === 'changes');
      const document = oneOf(random, open.length > 0 && random.next() < 0.6 ? open : model.documents.values());
      const owner = document && inquiry.personOf(model.profiles.get(document.profileId)?.ownerId ?? 0);
      if (!document || !owner) return;
      const body = weighted<Record<string, unknown>>(random, [
        [{ expires_at: addDays(inquiry.today, random.between(1, 400)) }, 55],
        [{ expires_at: document.expiresAt }, 15],
        [{ number: null }, 10],
        [oddDays(random, inquiry.today), 20],
      ]);
      await maybeLater(world, random);
      await world.call(owner, 'PATCH /documents/{id}', { params: { id: document.id }, body });
    },
  },
  {
    name: 'an administrator corrects a paper',
    weight: 3,
    async take(world, random) {
      const { model, inquiry } = world.auditor;
      const document = oneOf(random, model.documents.values());
      if (!document) return;
      const params = { kind: 'document', id: document.id };
      const record = await inquiry.asAdministrator('GET /admin/records/{kind}/{id}', { params });
      const former = random.next() < 0.15 ? oneOf(random, model.shown.former(`document/${document.id}`)) : undefined;
      const body = { ...correctionOf(world, random, document), updated_at: former ?? record.data.updated_at };
      await world.call(world.administrator, 'PATCH /admin/records/document/{id}', { params: { id: document.id }, body });
    },
  },
];

/** Days that a paper of today cannot have, or just can (DOC-4). */
function oddDays(random: Random, today: string): Record<string, string> {
  return random.pick<Record<string, string>>([
    { expires_at: addDays(today, -1) },
    { issued_at: addDays(today, 1) },
    { issued_at: today },
    { issued_at: addDays(today, -1), expires_at: addDays(today, -2) },
  ]);
}

function correctionOf(world: World, random: Random, { expiresAt, fields }: Document): Record<string, unknown> {
  const { today } = world.auditor.inquiry;
  return weighted<Record<string, unknown>>(random, [
    [{ expires_at: addDays(today, random.between(-5, 90)) }, 5],
    [{ type: typeOf(random) }, 1.5],
    [{ number: `N${1_000_000 + world.nextMark()}` }, 1],
    [{ country: null }, 1],
    [{ issued_at: addDays(today, -random.between(0, 400)) }, 1],
    [{ issued_at: addDays(today, 1) }, 0.5],
    [{ issued_at: addDays(today, -1), expires_at: addDays(today, -2) }, 0.5],
    [{ expires_at: expiresAt, country: fields.country }, 1],
  ]);
}
