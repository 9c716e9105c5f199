import { commit, type CommandPlatform, query } from '../../../platform/commands/command.ts';
import type { UnrecordedCaller } from '../../../platform/commands/context.ts';
import type { Platform } from '../../../platform/platform.ts';
import { drawPlace, signCredential } from '../../credentials/index.ts';
import { findApplication } from '../queries.ts';
import { certifiedFacts } from './make-certificate.ts';

const batch = 100;
const caller: UnrecordedCaller = { actor: { kind: 'process' }, requestId: 'credentials-issue', ip: null };

/**
 * Gives certificates without a credential a place and a signed credential (VER-10); their PDFs stay. Repeatable: an interrupted run leaves
 * whole places and whole credentials, and the next one continues.
 * @param report called after each batch with the number so far
 * @returns number of credentials signed by this run
 */
export async function issueCredentials(
  platform: CommandPlatform & Pick<Platform, 'config'>,
  report: (done: number) => void = () => undefined,
): Promise<number> {
  let done = 0;
  for (let after = 0; ;) {
    const rows = await query(platform, (db) =>
      db
        .selectFrom('certificates as c')
        .leftJoin('credentials as cr', 'cr.applicationId', 'c.applicationId')
        .select('c.applicationId')
        .where('c.applicationId', '>', after)
        .where('cr.credential', 'is', null)
        // A worker signs with the PDF.
        .where((eb) => eb.or([eb('cr.applicationId', 'is', null), eb('c.pdfStorageKey', 'is not', null)]))
        .orderBy('c.applicationId')
        .limit(batch)
        .execute(),
    );
    for (const { applicationId } of rows) {
      await commit(platform, caller, (ctx) => drawPlace(ctx, applicationId));
      const record = await query(platform, (db) => findApplication(db, applicationId));
      if (record?.certificate) await signCredential(platform, applicationId, certifiedFacts(record, record.certificate));
      done += 1;
      after = applicationId;
    }
    if (rows.length > 0) report(done);
    if (rows.length < batch) return done;
  }
}
