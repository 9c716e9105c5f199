import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMailer } from '../../src/platform/mail/create-mailer.ts';
import { MailAddressError, type Mailer, MailRefusedError, MailUnavailableError } from '../../src/platform/mail/mailer.ts';
import { startMailServer } from '../support/outside-servers/mail-server.ts';

const from = 'Тіркеу <registry@example.kz>';
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mail-'));
});
afterAll(() => rm(folder, { recursive: true }));

const headersOf = (message: string) =>
  message
    .slice(0, message.indexOf('\r\n\r\n'))
    .replaceAll(/\r\n[ \t]/g, ' ')
    .split('\r\n');

describe('mails as files', () => {
  const messageOf = async (mail: Parameters<Mailer['send']>[0]) => {
    const data = await mkdtemp(join(folder, 'data-'));
    await createMailer({ MAIL_FROM: from, DATA_DIR: data }).send(mail);
    const names = await readdir(join(data, 'mail'));
    expect(names).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d.Z-]+-[0-9a-f]{8}\.eml$/)]);
    const path = join(data, 'mail', names[0] ?? '');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    return readFile(path, 'utf8');
  };

  it('writes a whole mail, Kazakh letters included', async () => {
    const message = await messageOf({
      to: 'aigul@example.kz',
      subject: 'Құпиясөз',
      text: 'Сәлем, Әйгүл',
      html: '<p>Сәлем</p>',
      messageId: 'reset-17@registry',
    });
    const headers = headersOf(message);
    expect(headers).toEqual(
      expect.arrayContaining(['To: aigul@example.kz', 'Message-ID: <reset-17@registry>', 'Auto-Submitted: auto-generated']),
    );
    expect(headers.find((line) => line.startsWith('Subject: '))).toContain(Buffer.from('Құпиясөз').toString('base64'));
    expect(message).toContain(Buffer.from('Сәлем, Әйгүл').toString('base64').slice(0, 20));
  });

  it('keeps line breaks in values from becoming headers', async () => {
    const message = await messageOf({
      to: 'a@example.kz',
      subject: 'x\r\nBcc: thief@example.com\r\n\r\nbody',
      text: 't',
      messageId: 'a>\r\nBcc: b@example.com',
    });
    expect(headersOf(message).filter((line) => /^bcc/i.test(line))).toEqual([]);
    expect(headersOf(message)).toContain('Subject: x Bcc: thief@example.com body');
  });

  it('reports a folder that cannot be written', async () => {
    const file = join(folder, 'a-file');
    await writeFile(file, '');
    await expect(createMailer({ MAIL_FROM: from, DATA_DIR: file }).send({ to: 'a@example.kz', subject: 's', text: 't' })).rejects.toThrow(
      MailUnavailableError,
    );
  });
});

describe('mails by SMTP', () => {
  let mail: Awaited<ReturnType<typeof startMailServer>>;
  let mailer: Mailer;
  beforeAll(async () => {
    mail = await startMailServer();
    mailer = createMailer({ SMTP_URL: mail.url, MAIL_FROM: from, DATA_DIR: folder });
  });
  afterAll(() => new Promise((resolve) => mail.server.close(resolve)));

  it('delivers a mail to its one recipient', async () => {
    await mailer.send({ to: 'aigul@example.kz', subject: 'Hello\nBcc: thief@example.com', text: 'line\n.\nline' });
    expect(mail.receivers).toEqual(['<aigul@example.kz>']);
    expect(mail.messages).toHaveLength(1);
    expect(headersOf(mail.messages[0] ?? '').filter((line) => /^bcc/i.test(line))).toEqual([]);
  });

  it.each([
    'a@example.kz, b@example.kz',
    'a@example.kz\r\nRCPT TO:<b@example.kz>',
    'Name <a@example.kz>',
    'a@b@c',
    'not-an-email',
    '',
    `${'a'.repeat(250)}@kz.kz`,
  ])('refuses the address %j', async (to) => {
    await expect(mailer.send({ to, subject: 's', text: 't' })).rejects.toThrow(MailAddressError);
  });

  it('reports an unreachable server, without its password', async () => {
    const gone = createMailer({ SMTP_URL: 'smtp://user:hidden-word@127.0.0.1:1', MAIL_FROM: from, DATA_DIR: folder });
    const error: unknown = await gone.send({ to: 'a@example.kz', subject: 's', text: 't' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(MailUnavailableError);
    expect((error as Error).message).not.toContain('hidden-word');
  });
});

describe('the refusals of a mail server', () => {
  let mail: Awaited<ReturnType<typeof startMailServer>>;
  let mailer: Mailer;
  beforeAll(async () => {
    mail = await startMailServer();
    mailer = createMailer({ SMTP_URL: mail.url, MAIL_FROM: from, DATA_DIR: folder });
  });
  afterAll(() => mail.close());
  afterEach(() => {
    mail.answer = () => null;
  });
  const failureOf = async (command: string, answer: string): Promise<unknown> => {
    mail.answer = (line) => (line.startsWith(command) ? answer : null);
    return mailer.send({ to: 'hidden@example.kz', subject: 's', text: 't' }).catch((thrown: unknown) => thrown);
  };

  it.each([
    ['RCPT', '550 5.1.1 no such user <hidden@example.kz>', 550],
    ['RCPT', '553 sorry', 553],
    ['RCPT', '552 5.2.2 the mailbox is full', 552],
    ['.', '554 5.7.1 the text looks like spam', 554],
  ])('is permanent after %s: %s', async (command, answer, code) => {
    const error = await failureOf(command, answer);
    expect(error).toBeInstanceOf(MailRefusedError);
    expect(error).toMatchObject({ code, message: expect.not.stringContaining('hidden') });
  });

  it.each([
    ['RCPT', '450 4.2.1 try later', true],
    ['RCPT', '421 too many', false],
    ['.', '452 4.3.1 no space', true],
    ['.', '421 4.7.0 not this text', true],
    ['RCPT', '554 5.7.1 recipient address rejected', true],
    ['RCPT', '530 5.7.0 authentication required', true],
    ['MAIL', '550 5.7.1 this sender may not', false],
  ])('is temporary after %s: %s', async (command, answer, isOfMail) => {
    const error = await failureOf(command, answer);
    expect(error).toBeInstanceOf(MailUnavailableError);
    expect(error).toMatchObject({ isOfMail });
  });
});
