import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { findTemporalCli } from '../../src/tools/embedded/temporal/find-cli.ts';
import { temporalVersion } from '../../src/tools/embedded/temporal/version.ts';
import type { Compose } from '../support/compose-stack.ts';
import { findTemporalTestServer } from '../support/test-server/find-test-server.ts';

const good = `#!/bin/sh\necho "temporal version ${temporalVersion.cli} (Server ${temporalVersion.server}, UI 2.54.1)"\n`;
const cachedName = `temporal-${temporalVersion.cli}`;
const old = '#!/bin/sh\necho "temporal version 1.1.0 (Server 1.25.0, UI 2.31.2)"\n';
const goodTestServer = '#!/bin/sh\necho "Usage: <command> <port> <flags>"\n';

describe('finding the Temporal programs', () => {
  let directory: string;
  let server: Server;
  let answer: RequestListener;
  let downloadAddress: string;
  const said: string[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    downloadAddress = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'registry-find-'));
    said.length = 0;
    answer = (_request, response) => response.writeHead(503).end();
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const progress = { say: (line: string) => void said.push(line), tick: () => undefined };
  const tools = () => join(directory, 'tools');
  const kept = () => (existsSync(join(directory, 'data', 'bin')) ? readdirSync(join(directory, 'data', 'bin')) : []);
  // The programs of the system (sh, dirname, tar) stay on PATH; the test does not look for them.
  const options = (env: Record<string, string> = {}) => ({
    dataDir: join(directory, 'data'),
    env: { PATH: tools(), ...env },
    progress,
    downloadAddress,
  });

  function program(path: string, text: string): string {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text);
    chmodSync(path, 0o755);
    return path;
  }

  function archive(name: string, text: string): Buffer {
    program(join(directory, 'archive', name), text);
    return execFileSync('tar', ['-czf', '-', '-C', join(directory, 'archive'), name]);
  }

  /** Answers like the official address: the archive's location, the archive and its checksums. */
  function publish(
    name: string,
    body: Buffer,
    { checksum = createHash('sha256').update(body).digest('hex'), cutOff = false } = {},
  ): string[] {
    const asked: string[] = [];
    answer = (request, response) => {
      asked.push(request.url ?? '');
      const path = new URL(request.url ?? '', downloadAddress).pathname;
      if (path.endsWith('/release.tar.gz')) {
        response.writeHead(200, { 'content-length': String(body.length) });
        if (cutOff) response.write(body.subarray(0, 10), () => response.destroy());
        else response.end(body);
      } else if (path.endsWith('/checksums.txt')) response.end(`${checksum}  release.tar.gz\n`);
      else response.end(JSON.stringify({ archiveUrl: `${downloadAddress}/files/release.tar.gz`, fileToExtract: name }));
    };
    return asked;
  }

  it('uses TEMPORAL_CLI_PATH, then the program on PATH, then the cache; skips an outdated one on PATH with a message', async () => {
    const named = program(join(directory, 'mine'), good);
    const cached = program(join(directory, 'data', 'bin', cachedName), good);
    expect(await findTemporalCli(options())).toBe(cached);
    const onPath = program(join(tools(), 'temporal'), good);
    expect(await findTemporalCli(options())).toBe(onPath);
    expect(await findTemporalCli(options({ TEMPORAL_CLI_PATH: named }))).toBe(named);
    program(onPath, old);
    expect(await findTemporalCli(options())).toBe(cached);
    expect(said).toContain(`Temporal: ${onPath} cannot be used (its server is 1.25, older than 1.32)`);
    program(named, old);
    await expect(findTemporalCli(options({ TEMPORAL_CLI_PATH: named }))).rejects.toThrow(
      /^TEMPORAL_CLI_PATH is .*mine, which cannot be used: its server is 1\.25, older than 1\.32$/,
    );
  });

  it('downloads the official release for this platform', async () => {
    const asked = publish('temporal', archive('temporal', good));
    const found = await findTemporalCli(options());
    expect(found).toBe(join(directory, 'data', 'bin', cachedName));
    expect(asked[0]).toMatch(/^\/cli\/v1\.9\.1\?arch=(amd64|arm64)&platform=(linux|darwin)&format=tar\.gz$/);
    expect(readFileSync(found, 'utf8')).toBe(good);
    expect(kept()).toEqual([cachedName]);
  });

  it.each([
    ['was cut off', () => publish('temporal', archive('temporal', good), { cutOff: true })],
    ['differs from its checksum', () => publish('temporal', archive('temporal', good), { checksum: 'a'.repeat(64) })],
    ['is no archive', () => publish('temporal', Buffer.from('<html>'))],
    ['holds a program that does not run', () => publish('temporal', archive('temporal', '#!/bin/sh\nexit 3\n'))],
    ['is not to be had', () => undefined],
  ])('builds with Go when the download %s, and keeps nothing of it', async (_what, arrange) => {
    arrange();
    program(join(tools(), 'go'), `#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\nprintf '%s' '${good}' > "$2"\n/bin/chmod +x "$2"\n`);
    expect(await findTemporalCli(options())).toBe(join(directory, 'data', 'bin', cachedName));
    expect(kept()).toEqual([cachedName]);
    expect(said.find((line) => line.startsWith('Temporal: the download failed ('))).toBeDefined();
    expect(said).toContain('Temporal: building version 1.9.1 with Go, once; this takes about three minutes ...');
  });

  it('lists all sources in one line when none works', async () => {
    await expect(findTemporalCli(options())).rejects.toThrow(
      /^Temporal was not found \(PATH: not there; cache: empty; download: 127\.0\.0\.1:\d+ answered 503; Go: Go is not installed\)\. Install Go 1\.26 or newer, .*$/,
    );
    program(join(tools(), 'go'), '#!/bin/sh\necho "no space left on device" >&2\nexit 1\n');
    await expect(findTemporalCli(options())).rejects.toThrow('Go: the build failed: no space left on device');
    expect(kept()).toEqual([]);
  });

  it('finds the test server by its variable, the cache, the download', async () => {
    publish('temporal-test-server', archive('temporal-test-server', goodTestServer));
    const named = program(join(directory, 'mine'), goodTestServer);
    expect(await findTemporalTestServer(options({ TEMPORAL_TEST_SERVER_PATH: named }))).toBe(named);
    const downloaded = await findTemporalTestServer(options());
    expect(kept()).toEqual(['temporal-test-server-1.32.0']);
    answer = (_request, response) => response.writeHead(500).end();
    expect(await findTemporalTestServer(options())).toBe(downloaded);
  });

  it('builds the test server with Maven, as a program that passes its port to Java', async () => {
    program(join(tools(), 'java'), '#!/bin/sh\necho "Usage: $*"\n');
    program(join(tools(), 'mvn'), '#!/bin/sh\nfor word; do case $word in -DoutputDirectory=*) /bin/mkdir -p "${word#*=}";; esac; done\n');
    const found = await findTemporalTestServer(options());
    expect(found).toBe(join(directory, 'data', 'bin', 'temporal-test-server-java-1.32.0', 'temporal-test-server'));
    expect(execFileSync(found, ['7777'], { encoding: 'utf8', env: { PATH: tools() } })).toMatch(
      /-cp .*\/jars\/\* io\.temporal\.testserver\.TestServer 7777/,
    );
  });

  it('names the missing tools for the test server', async () => {
    await expect(findTemporalTestServer(options())).rejects.toThrow(/Maven: Maven is not installed\)\. Install a JDK and Maven/);
  });
});

test('one place names the version of Temporal: the build, the compose file and the pages agree with it', () => {
  const { cli, server, go } = temporalVersion;
  const module = readFileSync('src/tools/embedded/temporal/go.mod', 'utf8');
  expect(module).toContain(`\ngo ${go}.`);
  expect(module).toContain(`github.com/temporalio/cli v${cli} `);
  expect(module).toContain(`go.temporal.io/server v${server} `);
  const compose = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }) as Compose;
  const images = Object.values(compose.services).flatMap(({ image = '' }) =>
    /temporalio\/(server|admin-tools):/.test(image) ? [image] : [],
  );
  expect(new Set(images)).toEqual(new Set([`temporalio/server:${server}`, `temporalio/admin-tools:${server}`]));
  expect(readFileSync('docs/production.md', 'utf8')).toContain(`Temporal ${server} or newer`);
});
