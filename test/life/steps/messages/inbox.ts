import { anyone } from '../athletes.ts';
import { oneOf, type Step } from '../step.ts';

/** Notifications: a person marks them as read, one or all so far, and an administrator in the account of a person. */
export const inboxSteps: readonly Step[] = [
  {
    name: 'a person marks notifications as read',
    weight: 4,
    async take(world, random) {
      const by = random.next() < 0.85 ? anyone(world, random) : oneOf(random, world.others);
      if (!by) return;
      const list = await world.call(by, 'GET /notifications');
      if (list.status !== 200) return;
      const rows = list.data as { id: number; read_at: string | null }[];
      const read = rows.filter(({ read_at: at }) => at !== null);
      const id = oneOf(random, read.length > 0 && random.next() < 0.4 ? read : rows)?.id ?? 999_999;
      if (random.next() < 0.3) await world.call(by, 'POST /notifications/read', { body: { up_to_id: id } });
      else await world.call(by, 'POST /notifications/{id}/read', { params: { id } });
    },
  },
];
