import { DefaultLogger, Runtime } from '@temporalio/worker';

let isInstalled = false;

/** Installs the native part of the Temporal SDK with quiet logs. A process has one, which its test files share. */
export function installTemporalRuntime(): void {
  if (isInstalled) return;
  isInstalled = true;
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [], telemetryOptions: { logging: { filter: 'ERROR' } } });
}
