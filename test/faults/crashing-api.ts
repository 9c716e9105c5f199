import { startApi } from '../../src/api.ts';
import { loadConfig } from '../../src/registry/config.ts';
import { exitWithParent, reportReady } from '../../src/platform/runtime/exit-with-parent.ts';
import { IdempotentRequest } from '../../src/platform/commands/idempotent-request.ts';
import { comeTo } from './moments.ts';

/**
 * The API process of the registry with one difference: it kills itself at a planned moment. The moment `answer` is between the last COMMIT
 * of a request and its answer: `before` or `after` the answer is stored for repeats.
 */
const config = loadConfig();
const { storeAnswer } = IdempotentRequest.prototype;
IdempotentRequest.prototype.storeAnswer = async function keepAtMoments(...given) {
  await comeTo(config.DATA_DIR, 'answer', 'before');
  await Reflect.apply(storeAnswer, this, given);
  await comeTo(config.DATA_DIR, 'answer', 'after');
};

const api = await startApi(config);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void api.close());
exitWithParent(() => api.close());
reportReady();
