import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { baseUrl, type Variables } from '../../registry/config.ts';

/**
 * Returns the lines that tell a person where everything of a running stack is: addresses, the administrator's login, the folders.
 * @param config the variables of the stack's processes (`stack.env`)
 */
export function describeStack(config: Variables): string[] {
  const { DATA_DIR: dataDir } = config;
  const base = baseUrl(config);
  const rows: (readonly [string, string | undefined])[] = [
    ['Registry', `${base}/docs  (reference page; /docs/start for the first steps, /docs/build for programs)`],
    ['Desk', `${base}/desk  (the federation’s office; sign in as the administrator)`],
    ['Public pages', `${base}/events  (calendar), ${base}/gate  (gate without a network)`],
    ['API', `${base}/api/v1`],
    ['Administrator', describeLogin(config)],
    ['Captcha', config.CAPTCHA_FIXED_ANSWER && `${config.CAPTCHA_FIXED_ANSWER}  (what every picture takes from a program)`],
    ['Processes', config.TEMPORAL_UI_URL && `${config.TEMPORAL_UI_URL}  (Temporal UI)`],
    ['Mails', isOwn(config.SMTP_URL, config.MAIL_PORT) ? local(config.MAIL_UI_PORT) : shown(config.SMTP_URL)],
    ['Bank', describeServer(config.BANK_URL, config.BANK_SIMULATOR_PORT)],
    ['Messenger', describeServer(config.BOT_API_URL, config.BOT_SIMULATOR_PORT)],
    ['Webhooks', `${local(config.WEBHOOK_RECEIVER_PORT)}  (receiver, a simulator)`],
    ['Metrics', `${base}/metrics  (API), ${local(config.WORKER_METRICS_PORT)}/metrics  (worker)`],
    ['Database', shown(config.MIGRATION_DATABASE_URL ?? config.DATABASE_URL)],
    [
      'Data',
      `${dataDir}  (logs in logs, files in ${config.STORAGE === 'disk' ? 'files' : `bucket ${config.S3_BUCKET ?? ''}`}, mails in mail)`,
    ],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [`  ${name.padEnd(width)}  ${value}`]));
}

function describeLogin({ ADMIN_EMAIL: email, ADMIN_PASSWORD: password, DATA_DIR: dataDir }: Variables): string {
  const kept = join(dataDir, 'secrets.json');
  const source = existsSync(kept) ? `; kept in ${kept}` : '';
  return `${email}  password ${password ?? 'of ADMIN_PASSWORD'}  (as the first start set it${source})`;
}

function describeServer(url: string | undefined, simulatorPort: number): string | undefined {
  return isOwn(url, simulatorPort) ? `${local(simulatorPort)}  (simulator)` : shown(url);
}

/** Returns whether an address is that of the stack's own server on the port. */
function isOwn(url: string | undefined, port: number): boolean {
  return url !== undefined && new URL(url).host === `127.0.0.1:${port}`;
}

function local(port: number): string {
  return `http://localhost:${port}`;
}

/** Returns an address without its password; `stack.env` has it. */
function shown(address: string | undefined): string | undefined {
  if (address === undefined) return undefined;
  const url = new URL(address);
  if (url.password !== '') url.password = '***';
  return url.href;
}
