import { DefaultLogger, Runtime } from '@temporalio/worker';
import { promiseHooks } from 'node:v8';

let isInstalled = false;

// In this process the workflows run too, and Temporal's hook would take a stack trace of each promise, which only its stack query shows.
promiseHooks.createHook = () => () => undefined;

/** Installs the native part of the Temporal SDK with quiet logs. A process has one, which its test files share. */
export function installTemporalRuntime(): void {
  if (isInstalled) return;
  isInstalled = true;
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [], telemetryOptions: { logging: { filter: 'ERROR' } } });
}
