import { startApi } from '../../src/api.ts';
import { loadConfig } from '../../src/config.ts';
import { exitWithParent, reportReady } from '../../src/platform/exit-with-parent.ts';
import { IdempotentRequest } from '../../src/platform/idempotent-request.ts';
import { comeTo } from './moments.ts';

/**
 * The API process of the registry, but for one thing: at a planned moment it kills itself outright. The moment `answer` lies between the
 * last commit of a request and its answer: `before` the answer is stored for repeats, and `after`.
 */
const config = loadConfig();
const { keepAnswer } = IdempotentRequest.prototype;
IdempotentRequest.prototype.keepAnswer = async function keepAtMoments(...given) {
  await comeTo(config.DATA_DIR, 'answer', 'before');
  await Reflect.apply(keepAnswer, this, given);
  await comeTo(config.DATA_DIR, 'answer', 'after');
};

const api = await startApi(config);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void api.close());
exitWithParent(() => api.close());
reportReady();
