import type { EntityManager } from '@mikro-orm/postgresql';
import { asyncLocalStorage } from '@temporalio/activity';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { loadConfig } from '../../src/registry/config.ts';
import { closePlatform, createPlatform } from '../../src/registry/create-platform.ts';
import { exitWithParent, reportReady } from '../../src/platform/runtime/exit-with-parent.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { workflowCode } from '../../worker/bundle.ts';
import { startWorkers } from '../../worker/create-worker.ts';
import { prepareTemporal } from '../../worker/prepare-temporal.ts';
import { comeTo } from './moments.ts';

/**
 * The worker process of the registry with one difference: it kills itself or pauses at a planned moment of an activity or of a delivery. Wrappers around its
 * transactions detect the moments, so the real worker has no code for it.
 */

/** Returns the running activity, or the loop beside them. */
function placeOf(): string {
  return asyncLocalStorage.getStore()?.info.activityType ?? 'deliveries';
}

function watchTransactions(platform: Platform, dataDir: string): void {
  const { em } = platform.orm;
  const fork = em.fork.bind(em);
  em.fork = (...options) => watch(fork(...options)) as ReturnType<typeof fork>;

  function watch(forked: EntityManager): EntityManager {
    const begin = forked.begin.bind(forked);
    const commit = forked.commit.bind(forked);
    forked.begin = async (options) => {
      await comeTo(dataDir, placeOf(), 'before');
      await begin(options);
    };
    forked.commit = async () => {
      await forked.flush();
      await comeTo(dataDir, placeOf(), 'inside');
      await commit();
      await comeTo(dataDir, placeOf(), 'after');
    };
    return forked;
  }
}

/** The moment `<activity>.draw` is before the first page is drawn. */
function watchDrawing({ drawing }: Platform, dataDir: string): void {
  const draw = drawing.draw.bind(drawing);
  drawing.draw = async (document, input) => {
    await comeTo(dataDir, `${placeOf()}.draw`, 'before');
    return draw(document, input);
  };
}

/** The moments `<activity>.put` and `<activity>.delete` are before or after a file is stored or removed. */
function watchStorage({ storage }: Platform, dataDir: string): void {
  const put = storage.put.bind(storage);
  storage.put = async (...object) => {
    const activity = `${placeOf()}.put`;
    await comeTo(dataDir, activity, 'before');
    await put(...object);
    await comeTo(dataDir, activity, 'after');
  };
  const remove = storage.delete.bind(storage);
  storage.delete = async (key) => {
    const activity = `${placeOf()}.delete`;
    await comeTo(dataDir, activity, 'before');
    await remove(key);
    await comeTo(dataDir, activity, 'after');
  };
}

/** The moment `deliveries.mail` is before or after the delivery of each mail. */
function watchMails({ mailer }: Platform, dataDir: string): void {
  const send = mailer.send.bind(mailer);
  mailer.send = async (mail) => {
    await comeTo(dataDir, 'deliveries.mail', 'before');
    await send(mail);
    await comeTo(dataDir, 'deliveries.mail', 'after');
  };
}

const config = loadConfig();
const platform = await createPlatform(config, 'worker');
watchTransactions(platform, config.DATA_DIR);
watchDrawing(platform, config.DATA_DIR);
watchStorage(platform, config.DATA_DIR);
watchMails(platform, config.DATA_DIR);
Runtime.install({ logger: new DefaultLogger('WARN'), shutdownSignals: [] });
await prepareTemporal(config);
const workers = await startWorkers(config, platform, await workflowCode(false, config.DATA_DIR));
let isClosing = false;
const shutdown = async () => {
  if (isClosing) return;
  isClosing = true;
  await workers.shutdown();
  await closePlatform(platform);
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void shutdown());
exitWithParent(shutdown);
reportReady();
await workers.finished;
await shutdown();
