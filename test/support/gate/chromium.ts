import { type Browser, chromium } from 'playwright-core';
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Finds a Chromium of the system or of Playwright's cache; null without one. */
export function findChromium(): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const cache = join(homedir(), '.cache', 'ms-playwright');
  const cached = existsSync(cache) ? readdirSync(cache).map((name) => join(cache, name, 'chrome-linux', 'chrome')) : [];
  return [...names.flatMap((name) => folders.map((folder) => join(folder, name))), ...cached].find((path) => existsSync(path)) ?? null;
}

/** @param film video file that the browser sees as its camera; none: a test picture */
export function launchChromium(executablePath: string, film?: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--use-fake-ui-for-media-stream',
      '--use-fake-device-for-media-stream',
      ...(film === undefined ? [] : [`--use-file-for-fake-video-capture=${film}`]),
    ],
  });
}
