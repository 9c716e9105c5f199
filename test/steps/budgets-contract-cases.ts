import { randomUUID } from 'node:crypto';
import { executeInternal, executeOnce } from '../../activities/execute.ts';
import { createContract } from '../../src/areas/agreements/contracts/create-contract.ts';
import { agreementProcess } from '../../src/areas/agreements/contracts/process.ts';
import { commit } from '../../src/platform/command.ts';
import { databaseOf } from '../../src/platform/database/database.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { keepPrivateInput } from '../../src/platform/private-inputs.ts';
import { fixturesIn } from '../support/factories.ts';
import { eventFixtures } from '../support/factories/events.ts';
import type { Member } from '../support/factories/record.ts';
import { insertFiles } from '../support/factories/rows.ts';
import { signingFixtures } from '../support/factories/signings.ts';
import type { Case } from './budgets-cases.ts';

/** The commands of agreements. */
export function contractCases({ platform, administrator }: { platform: Platform; administrator: Member }): Record<string, Case> {
  const fixtures = fixturesIn(platform);
  const db = databaseOf(platform.orm.em.fork());

  async function event() {
    await signingFixtures(platform).signing(administrator.userId);
    const owner = await fixtures.person();
    return { owner, ...(await eventFixtures(platform).event(owner, { status: 'draft', settings: null })) };
  }

  /** An agreement whose PDF is said to be made. */
  async function agreement(columns: { status?: 'generated' | 'pending'; scanUploadedAt?: Date } = {}) {
    const { owner, id: eventId } = await event();
    const { id } = await commit(platform, owner.caller, (ctx) => createContract(ctx, eventId, { templateId: null, notes: null }));
    const made = { originalStorageKey: 'agreements/1', originalSha256: '0'.repeat(64), originalSize: 1, pages: 1 };
    await db
      .updateTable('contracts')
      .set({ ...made, ...columns })
      .where('id', '=', id)
      .execute();
    return { owner, id };
  }

  async function step(name: string, id: number, by: Member, args: unknown, words?: Record<string, unknown>) {
    const handler = agreementProcess.commands.find((candidate) => candidate.name === name);
    if (!handler) throw new Error(`an agreement is not commanded to ${name}`);
    const privateInputId = words === undefined ? null : await keepPrivateInput(platform, words);
    const sent = { commandId: randomUUID(), caller: by.caller, args, privateInputId };
    return () => executeOnce(platform, agreementProcess, handler, id, sent);
  }

  return {
    'agreement: scan': async () => {
      const { owner, id } = await agreement();
      const bytes = Buffer.from(randomUUID());
      const [fileId = ''] = await insertFiles(db, [owner.userId], { kind: 'scan', bytes, storage: null }, new Date());
      const [file] = await db.updateTable('files').set({ purpose: 'agreement' }).where('id', '=', fileId).returning('sha256').execute();
      return step('scan', id, owner, { sha256: file?.sha256 });
    },
    'agreement: review, reject': async () => {
      const { id } = await agreement({ status: 'pending', scanUploadedAt: new Date() });
      return step('review', id, administrator, { decision: 'reject' }, { reason: 'A page is missing' });
    },
    'agreement: replace': async () => {
      const { owner, id } = await agreement();
      return step('replace', id, owner, { templateId: null }, { reason: 'Another title', notes: null });
    },
    'agreement: cancel': async () => {
      const { owner, id } = await agreement();
      return step('cancel', id, owner, {}, { reason: 'There is no money' });
    },
    'agreement: reconsider, nothing due': async () => {
      const { id } = await agreement();
      return () => executeInternal(platform, agreementProcess, id);
    },
    'plain: createContract': async () => {
      const { owner, id } = await event();
      return () => commit(platform, owner.caller, (ctx) => createContract(ctx, id, { templateId: null, notes: null }));
    },
  };
}
