import { eventFixtures } from '../../support/factories/events.ts';
import { readPdf } from '../../support/papers/read-pdf.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, owner: organizer, administrator, audit } = await useRegistry();
const eventId = (await eventFixtures(api.platform).event(organizer, { agreementFlow: 1, status: 'draft', title: 'Өскемен кубогы' })).id;

test('answers a PDF of the current event, with the same bytes until a fact changes', async () => {
  const path = `/events/${eventId}/agreement`;
  const first = organizer.expect(200, await organizer.get(path));
  expect(['content-type', 'content-length', 'content-disposition', 'cache-control'].map((name) => first.headers.get(name))).toEqual([
    'application/pdf',
    String(first.bytes.length),
    `inline; filename="agreement-draft-${eventId}.pdf"`,
    'no-store',
  ]);
  expect((await readPdf(first.bytes)).text).toContain('Өскемен кубогы');

  const second = organizer.expect(200, await organizer.get(`${path}?download=1`));
  expect(second.headers.get('content-disposition')).toContain('attachment');
  expect(second.bytes.equals(first.bytes)).toBe(true);
  const etag = first.headers.get('etag') ?? '';
  expect((await organizer.get(path, { 'if-none-match': etag })).status).toBe(304);
  const part = organizer.expect(206, await organizer.get(path, { range: 'bytes=0-4' }));
  expect(part.bytes.toString()).toBe('%PDF-');

  await api.sql("update events set title = 'Семей кубогы', updated_at = now() where id = $1", [eventId]);
  const changed = organizer.expect(200, await organizer.get(path));
  expect(changed.bytes.equals(first.bytes)).toBe(false);
  expect(changed.headers.get('etag')).not.toBe(etag);
});

test('exists only in the earlier flow (EVT-18), for the organizer and for administrators', async () => {
  const present = await eventFixtures(api.platform).event(organizer, { status: 'draft' });
  expect((await organizer.get(`/events/${present.id}/agreement`)).body.error.code).toBe('not_found');
  administrator.expect(200, await administrator.get(`/events/${eventId}/agreement`));
  expect(await audit('event', eventId)).toMatchObject([{ action: 'event.read', data: { part: 'agreement' } }]);
});
