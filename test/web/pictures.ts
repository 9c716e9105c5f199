/** `npm run docs:pictures -- --url http://localhost:8080 --email … --password …`: takes the pictures of the README from a running `npm run demo -- desk`. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectDirectory } from '../../src/tools/embedded/scripts.ts';
import { findChromium, launchChromium } from '../support/gate/chromium.ts';

const { values } = parseArgs({ options: { url: { type: 'string' }, email: { type: 'string' }, password: { type: 'string' } } });
const { url = 'http://localhost:8080', email = 'admin@localhost', password } = values;
if (password === undefined) throw new Error('Give the password that `npm run demo -- desk` prints: --password …');
const chromium = findChromium();
if (chromium === null) throw new Error('There is no Chromium. Install it, for example by `apt-get install chromium`.');

const browser = await launchChromium(chromium);
try {
  const page = await browser.newPage({ locale: 'en-GB', viewport: { width: 1280, height: 760 } });
  await page.goto(`${url}/desk`);
  await page.fill('[name=email]', email);
  await page.fill('[name=password]', password);
  await page.click('button[type=submit]');
  await page.waitForSelector('[name=password]', { state: 'detached' });
  const take = async (name: string, path: string) => {
    await page.goto(`${url}/desk${path}`);
    await page.waitForSelector('main [role=region] :is(canvas, img)');
    await page.waitForLoadState('networkidle');
    await page.screenshot({ path: join(projectDirectory, 'docs', 'pictures', `${name}.png`) });
  };
  await take('queue', '/queue?kind=document');
  await take('record', '/queue?kind=application');
  await take('record', `/records/application/${/application-(\d+)/.exec(page.url())?.[1] ?? '1'}`);
} finally {
  await browser.close();
}
