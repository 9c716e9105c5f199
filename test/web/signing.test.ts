import type { Page } from 'playwright-core';
import { useDesk } from './use-desk.ts';
import { makeMark, signer } from '../support/factories/signings.ts';

/** Signature and stamp of the federation, placed on the last page of agreements. */
const { api, open, inChromium } = await useDesk();
const sheet = '[role=group][aria-label="Last page of the agreement"]';
const paperWidth = 210;

inChromium('marks are dragged on the page or placed by numbers, and lie there when the page is read again', async () => {
  const administrator = await api.administrator();
  const readLayout = async () => administrator.expect(200, await administrator.get('/admin/federation-signing')).body.data.layout;
  const { page, problems, context } = await open('/signing', administrator);
  await page.fill('[name=signer_name]', signer.signer_name);
  await page.fill('[name=signer_position]', signer.signer_position);
  for (const mark of ['signature', 'stamp'] as const) {
    const buffer = await makeMark(mark);
    await page
      .locator('input[type=file]')
      .nth(mark === 'signature' ? 0 : 1)
      .setInputFiles({ name: `${mark}.png`, mimeType: 'image/png', buffer });
    await page.waitForFunction(
      (alt) => (document.querySelector<HTMLImageElement>(`img[alt=${alt}]`)?.naturalWidth ?? 0) > 0,
      mark === 'signature' ? 'Signature' : 'Stamp',
    );
  }

  const before = await placeOf(page, 'Signature');
  await drag(page, 'Signature', -60, -50);
  const dragged = await placeOf(page, 'Signature');
  expect(dragged.x).toBeCloseTo(before.x - 60, 0);
  expect(dragged.y).toBeCloseTo(before.y - 50, 0);
  expect(await numbersOf(page, 'Signature')).toEqual([expect.closeTo(dragged.x, 0), expect.closeTo(dragged.y, 0), 1]);
  // Beyond the edges the mark stays on the page, so that it can be saved.
  await drag(page, 'Stamp', 300, 300);
  await save(page);
  const [x, y] = await numbersOf(page, 'Signature');
  const [right, bottom] = await numbersOf(page, 'Stamp');
  const layout = { signature: { x, y, scale: 1 }, stamp: { x: right, y: bottom, scale: 1 } };
  expect(await readLayout()).toEqual(layout);
  expect(right).toBeCloseTo(170, 0);
  expect(bottom).toBeCloseTo(257, 0);

  await page.reload();
  expect(await numbersOf(page, 'Stamp')).toEqual([right, bottom, 1]);
  expect((await placeOf(page, 'Signature')).x).toBeCloseTo(dragged.x, 0);
  await enter(page, 'Stamp', ['209', '30,5', '0.5']);
  await page.click('main button[type=submit]');
  await page.waitForSelector('main [role=alert]:has-text("Stamp: It leaves the page. Move it.")');
  await enter(page, 'Stamp', ['20.25']);
  await save(page);
  expect(await page.locator('main [role=alert]').count()).toBe(0);
  expect(await readLayout()).toEqual({ ...layout, stamp: { x: 20.25, y: 30.5, scale: 0.5 } });
  await page.reload();
  expect(await numbersOf(page, 'Stamp')).toEqual([20.25, 30.5, 0.5]);
  const placed = await placeOf(page, 'Stamp');
  expect([placed.x, placed.y]).toEqual([expect.closeTo(20.25, 0), expect.closeTo(30.5, 0)]);
  expect(problems).toEqual([]);
  await context.close();
});

/** The corner of a mark as it is seen, in millimetres of the page. */
async function placeOf(page: Page, mark: string): Promise<{ x: number; y: number; pixels: number }> {
  const box = await page.locator(`${sheet} > div`, { has: page.locator(`img[alt=${mark}]`) }).boundingBox();
  const paper = await page.locator(sheet).boundingBox();
  if (box === null || paper === null) throw new Error(`${mark} is not on the page`);
  const pixels = paper.width / paperWidth;
  return { x: (box.x - paper.x) / pixels, y: (box.y - paper.y) / pixels, pixels };
}

/** Drags a mark by its middle. @param right millimetres, as `down` */
async function drag(page: Page, mark: string, right: number, down: number): Promise<void> {
  const { pixels } = await placeOf(page, mark);
  const image = page.locator(`${sheet} img[alt=${mark}]`);
  await image.scrollIntoViewIfNeeded();
  const box = await image.boundingBox();
  if (box === null) throw new Error(`${mark} is not seen`);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + right * pixels, y + down * pixels, { steps: 5 });
  await page.mouse.up();
}

/** From the left, from the top, and the scale, as the fields have them. */
async function numbersOf(page: Page, mark: string): Promise<number[]> {
  const fields = page.locator(`section[aria-label=${mark}] input:not([type=file])`);
  await fields.nth(2).waitFor();
  return Promise.all([0, 1, 2].map(async (index) => Number(await fields.nth(index).inputValue())));
}

/** Types numbers as a person does: over what is in the fields. */
async function enter(page: Page, mark: string, numbers: readonly string[]): Promise<void> {
  for (const [index, number] of numbers.entries()) {
    await page.locator(`section[aria-label=${mark}] input:not([type=file])`).nth(index).selectText();
    await page.keyboard.type(number);
  }
}

async function save(page: Page): Promise<void> {
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.request().method() === 'PUT'),
    page.click('main button[type=submit]'),
  ]);
  expect([answer.status(), await answer.text()]).toEqual([200, expect.any(String)]);
  await page.waitForSelector('[role=status]:has-text("The signing is saved.")');
}
