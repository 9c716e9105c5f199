import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashSource } from '../../worker/bundle.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'registry-bundle-'));
  mkdirSync(join(folder, 'contracts'));
  writeFileSync(join(folder, 'index.ts'), 'export {};');
  writeFileSync(join(folder, 'contracts', 'invoice.contract.ts'), 'export const commands = {};');
});

afterEach(() => rmSync(folder, { recursive: true }));

test('a changed contract makes another bundle', async () => {
  const before = await hashSource(folder);
  writeFileSync(join(folder, 'contracts', 'invoice.contract.ts'), 'export const commands = { accept: true };');
  expect(await hashSource(folder)).not.toBe(before);
});

test('equal sources make the same bundle', async () => {
  expect(await hashSource(folder)).toBe(await hashSource(folder));
});
