import sharp from 'sharp';
import { readdir, readFile } from 'node:fs/promises';
import type { TestClient } from '../../support/client.ts';
import { contractFixtures } from '../../support/factories/contracts.ts';
import { readImages } from '../../support/papers/read-pdf.ts';
import { waitFor } from '../../support/wait-for.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, make, owner } = await useRegistry();

const folder = new URL('../../files/', import.meta.url);
const fileOf = (name: string) => readFile(new URL(name, folder));

/** Pages of each accepted PDF. */
const documents = {
  'plain.pdf': 2,
  'owner-password-rc4.pdf': 2,
  'owner-password-rc4-40.pdf': 2,
  'owner-password-aes128.pdf': 2,
  'owner-password-aes256.pdf': 2,
  'bytes-before-header.pdf': 1,
  'no-type.pdf': 1,
  'link-to-document.pdf': 1,
};
/** Pixels of each accepted photo as it is stored. */
const photos = {
  'photo-48-megapixels.jpg': [3000, 4000],
  'photo-120-megapixels.jpg': [2500, 3000],
  'photo-without-end-marker.jpg': [600, 800],
  'photo-turned-by-exif.jpg': [600, 800],
  'photo-cmyk-progressive.jpg': [600, 800],
  'photo-200-pixels.png': [200, 200],
} as const;
/** Reason of each refusal, and its advice. */
const refused = {
  'user-password.pdf': ['pdf_encrypted', 'without a password'],
  'form-with-script.pdf': ['pdf_active_content', 'print it to PDF'],
  'owner-password-script.pdf': ['pdf_active_content', 'print it to PDF'],
  'attachment.pdf': ['pdf_active_content', 'send each attachment'],
  'other-document-when-opened.pdf': ['pdf_active_content', 'print it to PDF'],
  'photo.heic': ['unsupported_type', 'set the camera to JPEG'],
  'photo-199-pixels.png': ['photo_too_small', '200 x 200'],
  'photo-cut-in-half.jpg': ['image_unreadable', 'save it again as JPEG'],
} as const;

test('each file of the folder has its case', async () => {
  const names = (await readdir(folder)).filter((name) => !/\.(?:md|py)$/.test(name));
  expect(names.toSorted()).toEqual([...Object.keys(documents), ...Object.keys(photos), ...Object.keys(refused)].toSorted());
});

test.each(Object.entries(documents))('%s is stored as it was sent, and shown (FIL-1)', async (name, pages) => {
  const bytes = await fileOf(name);
  const { data } = owner.expect(201, await owner.upload(bytes, 'document', name)).body;
  expect(data).toMatchObject({ mime: 'application/pdf', pages, size: bytes.length });
  const shown = owner.expect(200, await owner.get(`/files/${data.id}`));
  expect(shown.headers.get('content-type')).toBe('application/pdf');
  expect(shown.bytes.equals(bytes)).toBe(true);
});

test('a scan with an owner password is a signed agreement (AGR-4)', async () => {
  const { id } = await contractFixtures(api.platform).contract(owner, { status: 'generated' });
  const { body } = owner.expect(200, await owner.sendFile(`/contracts/${id}/scan`, await fileOf('owner-password-aes256.pdf')));
  expect(body.data).toMatchObject({ status: 'pending' });
});

/** Uploads a photo of the folder. @returns its facts */
async function upload(person: TestClient, name: string) {
  const bytes = await fileOf(name);
  // On a busy machine a large photo may take longer than an inspection may; its refusal says to send it again.
  const sent = await waitFor(
    () => person.upload(bytes, 'photo', name),
    ({ body }) => body?.error?.details?.reason !== 'inspection_timeout',
    `the inspection of ${name}`,
  );
  return person.expect(201, sent).body.data;
}

test.each(Object.entries(photos))('%s is stored upright (FIL-1)', async (name, [width, height]) => {
  const file = await upload(owner, name);
  expect(file).toMatchObject({ width, height });
  const shown = await sharp(owner.expect(200, await owner.get(`/files/${file.id}`)).bytes).metadata();
  expect(shown).toMatchObject({ width, height, space: 'srgb' });
});

test.each(['photo-cmyk-progressive.jpg', 'photo-200-pixels.png'])('%s is printed on a certificate (APP-14)', async (name) => {
  const person = await api.user();
  // The certificate shows the photo that was approved before its issue.
  const { id: photoId } = await upload(person, name);
  const { id } = await make.application(person, { status: 'approved', profile: { columns: { photoId } } });
  const certificate = person.expect(200, await person.get(`/applications/${id}/certificate`));
  const printed = await readImages(certificate.bytes);
  expect(printed).toHaveLength(1);
  // The grey above the head of each photo, as far as its format keeps it; the usual photo of the tests is green there.
  const { channels } = await sharp(printed[0]).extract({ left: 0, top: 0, width: 40, height: 20 }).stats();
  const differences = channels.map(({ mean }, channel) => Math.abs(mean - ([120, 140, 160][channel] ?? 0)));
  expect(Math.max(...differences)).toBeLessThan(40);
});

test.each(Object.entries(refused))('%s is refused with the advice (FIL-2)', async (name, [reason, advice]) => {
  const answer = owner.expect(422, await owner.upload(await fileOf(name), 'photo', name));
  expect(answer.body.error).toMatchObject({ code: 'file_rejected', details: { reason }, message: expect.stringContaining(advice) });
});
