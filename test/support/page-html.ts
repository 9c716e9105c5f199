import { createShell, type Page } from '../../src/http/response/page.ts';
import { defaultBrand } from '../../src/platform/brand/brand.ts';

export const shell = createShell(defaultBrand);

/** @returns a page as a browser receives it, with the clock of real time */
export const htmlOf = (page: Page): string => shell.render(page, null);
