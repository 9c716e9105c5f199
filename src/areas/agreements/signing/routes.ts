import { checkAll, DomainError } from '../../../errors.ts';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { ok } from '../../../http/response/reply.ts';
import { commit, query } from '../../../platform/commands/command.ts';
import { examineMark } from './examine-mark.ts';
import { findCurrentSigning, findSigning } from './find-signing.ts';
import { setSigning } from './set-signing.ts';
import { presentSigning, signingBody, signingResponse } from './wire.ts';

const tag = 'Agreements';

/** Routes of the signing setting, for administrators (AGR-8). */
export const signingRoutes: Route[] = [
  defineRoute({
    name: 'getFederationSigning',
    method: 'GET',
    path: '/admin/federation-signing',
    access: access.administrator('admin:read'),
    tag,
    summary: 'Get the signing setting: who signs new agreements for the federation, with which images',
    description: '`data` is null until it is first set.',
    response: { data: signingResponse.nullable() },
    handler: async ({ platform }) => {
      const signing = await query(platform, findCurrentSigning);
      return ok(signing && presentSigning(signing));
    },
  }),
  defineRoute({
    name: 'setFederationSigning',
    method: 'PUT',
    path: '/admin/federation-signing',
    access: access.administrator('admin:write'),
    tag,
    summary: 'Set who signs new agreements for the federation, with which images',
    description:
      'Images are your own files, uploaded with the purpose `signature` or `stamp`, or images of a former setting. This request examines them: PNG or WebP, at most 16 million pixels, with an alpha channel and at least 5 % fully transparent pixels (`not_transparent`) and 0.1 % visible ones (`not_visible`). Each mark lies wholly on the page (`outside_page` at `body.layout.<mark>.x` or `.y`); its height follows from the shape of its image. A change applies to new agreements; existing PDFs do not change.',
    request: {
      body: signingBody,
      example: {
        signer_name: 'Ерлан Сейітұлы Қасымов',
        signer_position: 'Президент федерации',
        signature_file_id: '3c7e1b52-8f4d-4a6e-9b21-5d0c8e7f4a10',
        stamp_file_id: '8a2d6f04-1b7c-4e95-b3f8-6c9e0d5a7b21',
        layout: { signature: { x: 110, y: 220, scale: 1 }, stamp: { x: 140, y: 215, scale: 1 } },
      },
    },
    response: { data: signingResponse },
    handler: async ({ platform, caller, body, signal }) => {
      await checkAll(
        () => examineMark(platform, caller, { mark: 'signature', fileId: body.signature_file_id, place: body.layout.signature, signal }),
        () => examineMark(platform, caller, { mark: 'stamp', fileId: body.stamp_file_id, place: body.layout.stamp, signal }),
      );
      const id = await commit(platform, caller, (ctx) =>
        setSigning(ctx, {
          signerName: body.signer_name,
          signerPosition: body.signer_position,
          signatureFileId: body.signature_file_id,
          stampFileId: body.stamp_file_id,
          layout: body.layout,
        }),
      );
      const signing = await query(platform, (db) => findSigning(db, id));
      if (!signing) throw new DomainError('not_found');
      return ok(presentSigning(signing));
    },
  }),
];
