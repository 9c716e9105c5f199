import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Stack } from './stack.ts';

/** Returns the lines printed when all processes are ready: addresses, and the administrator's password after the start that created it. */
export function describeStack(stack: Stack, ownPassword: boolean): string[] {
  const { administrator, config, dataDir } = stack;
  const rows: [string, string][] = [
    ['API', `${stack.baseUrl}/api/v1`],
    ['Reference', `${stack.baseUrl}/docs`],
    ...(stack.temporalUiUrl === undefined ? [] : [['Processes', `${stack.temporalUiUrl}  (Temporal UI)`] as [string, string]]),
    ['Bank', stack.processes.bank ? `${stack.bankUrl}  (simulator)` : stack.bankUrl],
    ...(stack.botPlatformUrl === undefined
      ? []
      : [['Messenger', stack.processes.bot ? `${stack.botPlatformUrl}  (simulator)` : stack.botPlatformUrl] as [string, string]]),
    // Do not print the password of the user's own database.
    ['Database', stack.processes.postgres ? stack.databaseUrl : hidePassword(stack.databaseUrl)],
    ['Administrator', `${administrator.email}${passwordNote(stack, ownPassword)}`],
    ['Mails', config.SMTP_URL === undefined ? join(dataDir, 'mail') : hidePassword(config.SMTP_URL)],
    ['Files', config.STORAGE === 'disk' ? join(dataDir, 'files') : `bucket ${config.S3_BUCKET ?? ''}`],
    ['Logs', join(dataDir, 'logs')],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return [
    '',
    'The registry is running.',
    '',
    ...rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`),
    '',
    'Ctrl-C stops all processes; the data is kept.',
    '',
  ];
}

function passwordNote({ administrator, dataDir }: Stack, ownPassword: boolean): string {
  if (!administrator.isNew) return '  (the password was shown at the first start)';
  if (ownPassword) return '  (the password of ADMIN_PASSWORD)';
  const kept = join(dataDir, 'secrets.json');
  return `  password ${administrator.password}  (shown only now${existsSync(kept) ? `; kept in ${kept}` : ''})`;
}

function hidePassword(address: string): string {
  const url = new URL(address);
  if (url.password !== '') url.password = '***';
  return url.href;
}
