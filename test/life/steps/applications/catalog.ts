import type { Random } from '../../../support/random.ts';
import type { Service } from '../../auditor/applications/application-records.ts';
import { oneOf, type Step, weighted } from '../step.ts';
import { administratorAt } from '../transfers.ts';

/** The catalogue: administrators take services off sale and back, change prices and required documents; people ask what is sold for how much. */
export const catalogSteps: readonly Step[] = [
  {
    name: 'an administrator edits a service',
    weight: 3,
    async take(world, random) {
      const { services, shown } = world.auditor.model;
      const by = administratorAt(world, random);
      await world.call(by, 'GET /admin/catalog');
      const offSale = [...services.values()].filter(({ isActive }) => !isActive);
      const service = oneOf(random, offSale.length > 0 && random.next() < 0.7 ? offSale : services.values());
      if (!service) return;
      const former = random.next() < 0.15 ? oneOf(random, shown.former(`service/${service.id}`)) : undefined;
      const { id, code: _code, kind: _kind, profile_kind: _profileKind, ...editable } = service.row;
      const body = { ...editable, ...editOf(service, random), updated_at: former ?? shown.current(`service/${service.id}`) };
      await world.call(by, 'PUT /admin/catalog/services/{id}', { params: { id: Number(id) }, body });
    },
  },
  {
    name: 'an administrator sets a base index',
    weight: 1.5,
    async take(world, random) {
      const { baseIndexes } = world.auditor.model;
      const year = Number(world.auditor.inquiry.today.slice(0, 4)) - random.between(0, 1);
      const amount = random.next() < 0.3 ? baseIndexes.get(year) : undefined;
      await world.call(administratorAt(world, random), 'PUT /admin/catalog/base-indexes/{year}', {
        params: { year },
        body: { amount_minor: amount ?? random.between(390_000, 450_000) },
      });
    },
  },
  {
    name: 'a person asks what a service costs',
    weight: 1.5,
    async take(world, random) {
      const person = oneOf(random, world.people);
      const service = oneOf(random, world.auditor.model.services.values());
      if (!person || !service) return;
      const year = Number(world.auditor.inquiry.today.slice(0, 4)) + random.between(0, 1);
      const body = {
        service_id: service.id,
        ...(random.next() < 0.4 ? { year } : {}),
        ...(random.next() < 0.5 ? { data: { insurance_territory: random.pick(['KZ', 'CIS']) } } : {}),
      };
      await world.call(person, 'POST /applications/quote', { body });
    },
  },
];

/** Past days are judged by the present requirements of age, so `only_minors` stays. */
function editOf({ isActive, required, row }: Service, random: Random): Record<string, unknown> {
  if (!isActive) return { active: true };
  const driver = { code: 'driver', types: ['driver'], only_minors: false };
  const others = (row['required_documents'] as { code: string }[]).filter(({ code }) => code !== 'driver');
  const isDriver = required.some(({ code }) => code === 'driver');
  return weighted<Record<string, unknown>>(random, [
    [{ active: false }, 2],
    [{ mrp: random.between(1, 60) / 8 }, 4],
    [{ cis_mrp: random.next() < 0.3 ? null : random.between(1, 20) / 8 }, 2],
    [{ required_documents: isDriver ? others : [...others, driver] }, 2],
    [{}, 0.5],
  ]);
}
