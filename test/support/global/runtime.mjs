/**
 * Loads test files by Node itself instead of Jest's sandbox: Node strips the types, and a test process loads the service's modules once for
 * all its files. In the sandbox each file loads them anew, which costs more than most files' tests.
 */
import { createRequire, flushCompileCache } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
/** Jest keeps what a file has declared in these; each file gets them fresh. */
const handlersOfJest = Symbol.for('EVENT_HANDLERS');

export default class NodeRuntime {
  requireModule(path) {
    return require(path);
  }
  requireInternalModule(path) {
    delete require.cache[path];
    delete globalThis[handlersOfJest];
    return require(path);
  }
  unstable_shouldLoadAsEsm() {
    return true;
  }
  async unstable_importModule(path) {
    await import(pathToFileURL(path).href);
    // Not at the end: Jest kills a process that takes half a second to exit.
    flushCompileCache();
  }
  getSourceMaps() {
    return new Map();
  }
  setGlobalsForRuntime() {}
  enterTestCode() {}
  leaveTestCode() {}
  getAllCoverageInfoCopy() {}
  teardown() {}
}
