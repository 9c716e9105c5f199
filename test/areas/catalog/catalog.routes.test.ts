import { yearOf } from '../../../src/platform/time/date-time.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api } = await useRegistry();
const user = await api.user();

describe('GET /catalog', () => {
  test('is public and lists services on sale with tariffs and required documents (CAT-6)', async () => {
    const { status, body } = await api.browser().get('/catalog?kind=service');
    expect(status).toBe(200);
    expect(body.meta).toEqual({});
    expect(body.data.mrp).toEqual({ year: 2026, amount_minor: 432_500 });
    expect(body.data.services.find((service: { id: number }) => service.id === 2)).toEqual({
      id: 2,
      code: 'national_certificate_b',
      kind: 'national_certificate',
      title: expect.objectContaining({ kk: expect.stringContaining('Ұлттық'), ru: expect.any(String), en: expect.any(String) }),
      category: 'B',
      profile_kind: 'athlete',
      disciplines: [1, 2, 4, 5].map((id) => expect.objectContaining({ id })),
      required_documents: [
        { code: 'identity_document', types: ['identity', 'passport'], only_minors: false },
        { code: 'medical', types: ['medical'], only_minors: false },
        { code: 'consent', types: ['consent'], only_minors: true },
        { code: 'driver', types: ['driver'], only_minors: false },
      ],
      mrp: 3.5,
      price_kz_minor: 1_513_750,
      price_cis_minor: 2_270_625,
      insurance_coverage_minor: 432_500_000,
    });
    expect((await api.browser().get('/catalog')).body.data).toEqual(body.data);
  });

  test('refuses another kind and other parameters', async () => {
    expect((await api.browser().get('/catalog?kind=event')).status).toBe(422);
    expect((await api.browser().get('/catalog?page=1')).body.error.details.fields).toEqual([
      expect.objectContaining({ path: 'query.page', code: 'unknown_field' }),
    ]);
  });

  test('hides services that are not on sale', async () => {
    await api.sql('update services set active = false where id = 21');
    const { body } = await api.browser().get('/catalog');
    expect(body.data.services.map((service: { id: number }) => service.id)).not.toContain(21);
    await api.sql('update services set active = true where id = 21');
  });
});

describe('GET /services/prices', () => {
  test('has a CIS price only where the service sells CIS (CAT-2)', async () => {
    const { body } = await user.get('/services/prices');
    const priceOf = (id: number) => body.data.services.find((service: { id: number }) => service.id === id);
    expect(body.data.mrp.amount_minor).toBe(432_500);
    expect(priceOf(1)).toMatchObject({
      mrp: 2,
      price_kz_minor: 865_000,
      price_cis_minor: 1_297_500,
      insurance_coverage_minor: 216_250_000,
    });
    expect(priceOf(3)).toMatchObject({ mrp: 1.3333, price_kz_minor: 576_652 });
    expect(priceOf(3)).not.toHaveProperty('price_cis_minor');
  });

  test('CAT-1: uses the MRP of the year, or the newest before it', async () => {
    const next = yearOf(new Date()) + 1;
    const mrpNow = async () => (await user.get('/services/prices')).body.data.mrp;
    const before = await mrpNow();
    await api.sql('insert into base_indexes (year, amount_minor) values ($1, 450000), ($2, 999999)', [next, next + 3]);
    expect(await mrpNow()).toEqual(before);
    await api.travelTo(`${next}-01-01T00:00:00+05:00`);
    expect(await mrpNow()).toEqual({ year: next, amount_minor: 450_000 });
    await api.travelTo(`${next + 1}-06-01T00:00:00+05:00`);
    expect(await mrpNow()).toEqual({ year: next, amount_minor: 450_000 });
  });
});
