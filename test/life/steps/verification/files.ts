import type { Random } from '../../../support/random.ts';
import { isDocumentInUse } from '../../auditor/applications/documents.ts';
import { ownerOf } from '../../auditor/model.ts';
import { makePhoto } from '../../papers.ts';
import type { World } from '../../world.ts';
import { anyone } from '../athletes.ts';
import { oneOf, type Step } from '../step.ts';
import { others as transferTargets, tryTransfer } from '../transfers.ts';

/** Files: people read and delete their own, and try those of others. */
export const fileSteps: readonly Step[] = [
  {
    name: 'a person reads a file',
    weight: 2,
    async take(world, random) {
      const [id, person] = aFile(world, random);
      if (id !== undefined && person) await world.call(person, 'GET /files/{id}', { params: { id } });
    },
  },
  {
    name: 'a person deletes a file',
    weight: 5,
    async take(world, random) {
      const [id, person] = random.next() < 0.4 ? ofUnusedPaper(world, random) : aFile(world, random);
      const file = world.auditor.model.files.get(id ?? '');
      if (id === undefined || !file || !person) return;
      const { status } = await world.call(person, 'DELETE /files/{id}', { params: { id } });
      const { inquiry } = world.auditor;
      if (status >= 300) return;
      inquiry.same(
        `file ${id} is hidden once it is deleted (FIL-5)`,
        404,
        (await world.ask(person, 'GET /files/{id}', { params: { id } })).status,
      );
    },
  },
  {
    name: 'a person uses a file for two records',
    weight: 4,
    async take(world, random) {
      const { model, inquiry } = world.auditor;
      const athletesOf = (accountId: number) =>
        [...model.profiles.values()].filter(({ ownerId, kind }) => ownerId === accountId && kind === 'athlete');
      const use = random.pick(['photo ', 'photo ', 'document ']);
      const used = [...model.files].filter(([, { uses }]) => [...uses.keys()].some((one) => one.startsWith(use)));
      const ofFamilies = used.filter(([, { ownerId }]) => athletesOf(ownerId).length > 1);
      const [fileId, file] = oneOf(random, ofFamilies.length > 0 ? ofFamilies : used) ?? [];
      const owner = file && inquiry.personOf(file.ownerId);
      const own = athletesOf(file?.ownerId ?? 0);
      const others = own.filter(({ id }) => ![...(file?.uses.values() ?? [])].includes(id));
      const profile = oneOf(random, others.length > 0 && random.next() < 0.8 ? others : own);
      if (!file || !owner || !profile) return;
      const [params, isPhoto] = [{ id: profile.id }, use === 'photo '];
      const paper = { profile_id: profile.id, type: random.pick(['identity', 'medical']), file_id: fileId, country: 'KZ' };
      const { status } = isPhoto
        ? await world.call(owner, 'PATCH /profiles/{id}', { params, body: { photo_id: fileId } })
        : await world.call(owner, 'POST /documents', { body: paper });
      if (status >= 300) return;
      const kind = random.next();
      const target = oneOf(random, transferTargets(world, profile));
      if (kind < 0.7 && target) await tryTransfer(world, random, profile, target.id);
      if (kind > 0.3 && isPhoto) {
        const [user] = oneOf(random, file.uses) ?? [];
        const photoId = await makePhoto(world, owner, 'otherPhoto');
        if (user !== undefined && photoId !== null)
          await world.call(owner, 'PATCH /profiles/{id}', { params: { id: Number(user.split(' ')[1]) }, body: { photo_id: photoId } });
        await world.call(owner, 'DELETE /files/{id}', { params: { id: fileId ?? '' } });
      }
    },
  },
  {
    name: 'a person uploads a file for nothing',
    weight: 0.5,
    async take(world, random) {
      const person = anyone(world, random);
      if (person) await makePhoto(world, person);
    },
  },
];

/** The file of a paper that nothing uses, mostly of an approved one, with its owner (DOC-8). */
function ofUnusedPaper({ auditor: { model, inquiry } }: World, random: Random) {
  const unused = [...model.documents.values()].filter(({ id, isFileGone }) => !isFileGone && !isDocumentInUse(model, id));
  const approved = unused.filter(({ status }) => status === 'approved');
  const document = oneOf(random, approved.length > 0 && random.next() < 0.7 ? approved : unused);
  return [document?.fileId, document && inquiry.personOf(ownerOf(model, document.profileId))] as const;
}

/** A file with its owner, now and then with another person. */
function aFile(world: World, random: Random) {
  const { model, inquiry } = world.auditor;
  const [id, file] = oneOf(random, model.files) ?? [];
  const owner = file && inquiry.personOf(file.ownerId);
  return [id, random.next() < 0.75 ? owner : anyone(world, random)] as const;
}
