import { databaseOf } from '../../../src/platform/database/database.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { type ApplicationOptions, fixturesIn } from '../factories.ts';

/** An issued certificate, as its holder knows it. */
export interface Issued {
  applicationId: number;
  profileId: number;
  number: string;
  token: string;
  /** As printed. */
  name: string;
}

/** Issues a certificate to a new account, of the national category A by default. */
export function certificateFixtures(platform: Platform): (options?: ApplicationOptions) => Promise<Issued> {
  const make = fixturesIn(platform);
  const db = databaseOf(platform.orm.em.fork());
  return async (options = {}) => {
    const { id, profileId } = await make.application(await make.person(), { status: 'approved', ...options });
    const { number, token, snapshot } = await db
      .selectFrom('certificates')
      .select(['number', 'token', 'snapshot'])
      .where('applicationId', '=', id)
      .executeTakeFirstOrThrow();
    return { applicationId: id, profileId, number, token, name: snapshot.holderName };
  };
}
