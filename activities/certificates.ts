import { makeCertificate } from '../src/applications/index.ts';
import type { Platform } from '../src/platform/platform.ts';
import { processRef } from '../src/platform/process-ref.ts';
import { ownCaller } from './execute.ts';
import { heartbeating } from './heartbeating.ts';
import { triedLater } from './tried-later.ts';

/** Certificates as files. */
export function createCertificateActivities(platform: Platform) {
  return {
    /** Draws and stores the certificate's PDF. One that its record makes impossible fails for good: `cannot_be_made`. */
    makeCertificate: (id: number): Promise<void> =>
      triedLater(() => heartbeating(() => makeCertificate(platform, ownCaller(processRef('application', id)), id))),
  };
}
