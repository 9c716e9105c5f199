import { concatTransformationMatrix, drawObject, PDFDocument, PDFName } from '@cantoo/pdf-lib';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { useDesk } from './use-desk.ts';
import { fixturesOf } from '../support/factories.ts';
import { makePhoto, makeScan } from '../support/papers/scans.ts';
import type { TestClient } from '../support/client.ts';

/** The papers of a record, as people send them. */
const { api, open, inChromium } = await useDesk();
const make = fixturesOf(api);
const sheet = 'main [role=region] [role=img]';

inChromium('a scan of thirty pages is read page by page, turned and made larger', async () => {
  const owner = await api.user();
  const { page, problems, context } = await openDocument(owner, await makeScan('medical', 30));
  await page.waitForSelector(`${sheet}[aria-label$="Page 1 of 30"] canvas`);
  await page.click('[aria-label="Next page"]');
  await page.waitForSelector(`${sheet}[aria-label$="Page 2 of 30"] canvas`);
  await page.fill('[aria-label="Page"]', '30');
  await page.keyboard.press('Enter');
  await page.waitForSelector(`${sheet}[aria-label$="Page 30 of 30"] canvas`);
  expect(await isUpright(page, `${sheet} canvas`)).toBe(true);
  await page.click('[aria-label="Rotate by 90°"]');
  await page.waitForFunction((selector) => {
    const box = document.querySelector(selector)?.getBoundingClientRect();
    return box !== undefined && box.width > box.height;
  }, `${sheet} canvas`);
  expect(problems).toEqual([]);
  await context.close();
});

inChromium('what an office scanner has compressed is decoded (CCITT Group 4)', async () => {
  const owner = await api.user();
  const { page, problems, context } = await openDocument(owner, await faxedScan());
  await page.waitForSelector(`${sheet} canvas`);
  await page.waitForLoadState('networkidle');
  expect(await page.locator('main [role=alert]').count()).toBe(0);
  expect(problems).toEqual([]);
  await context.close();
});

inChromium('a photo that lies on its side is turned', async () => {
  const owner = await api.user();
  const photo = await sharp(await makePhoto())
    .rotate(90)
    .toBuffer();
  const sent = owner.expect(201, await owner.upload(photo, 'photo', 'photo.jpg')).body.data;
  const profileId = await make.profile(owner, { status: 'pending', columns: { photoId: sent.id } });
  const { page, context } = await open(`/records/profile/${profileId}`, await api.administrator());
  const frame = 'main [role=region] div:has(> img)';
  await page.waitForFunction((selector) => (document.querySelector<HTMLImageElement>(`${selector} > img`)?.naturalWidth ?? 0) > 0, frame);
  expect(await isUpright(page, frame)).toBe(false);
  await page.click('[aria-label="Rotate by 90°"]');
  expect(await isUpright(page, frame)).toBe(true);
  await context.close();
});

async function openDocument(owner: TestClient, scan: Buffer) {
  const file = owner.expect(201, await owner.upload(scan, 'medical', 'scan.pdf')).body.data;
  const id = await make.document(owner, await make.profile(owner), { columns: { fileId: file.id } });
  return open(`/records/document/${id}`, await api.administrator());
}

async function isUpright(page: Page, selector: string): Promise<boolean> {
  const box = await page.locator(selector).boundingBox();
  if (box === null) throw new Error(`nothing is shown at ${selector}`);
  return box.height > box.width;
}

/** One white line of eight points: the code of an unchanged line, and the end of the block (ITU-T T.6). */
async function faxedScan(): Promise<Buffer> {
  const document = await PDFDocument.create();
  const image = document.context.stream(Uint8Array.of(0x80, 0x08, 0x00, 0x80), {
    Type: 'XObject',
    Subtype: 'Image',
    Width: 8,
    Height: 1,
    ColorSpace: 'DeviceGray',
    BitsPerComponent: 1,
    Filter: 'CCITTFaxDecode',
    DecodeParms: { K: -1, Columns: 8, Rows: 1 },
  });
  const page = document.addPage([200, 200]);
  page.node.setXObject(PDFName.of('Scan'), document.context.register(image));
  page.pushOperators(concatTransformationMatrix(200, 0, 0, 200, 0, 0), drawObject('Scan'));
  return Buffer.from(await document.save());
}
