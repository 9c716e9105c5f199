import { z } from 'zod';
import { dateTimeResponse, id, printableText, printedWords, uuid } from '../../../http/schemas.ts';
import { formatVersion } from '../../../platform/time/date-time.ts';
import type { Signing } from './find-signing.ts';
import { markPage } from './mark-place.ts';

const place = z
  .strictObject({
    x: z.number().min(0).max(markPage.width).describe('Millimetres from the left edge of the last page to that of the mark'),
    y: z.number().min(0).max(markPage.height).describe('Millimetres from the top edge of the last page to that of the mark'),
    scale: z.number().min(0.1).max(3).describe('At 1 the signature is 50 mm wide and the stamp 40 mm'),
  })
  .meta({ id: 'MarkPlace', description: 'Place of the mark on the last page' });
const layout = z.strictObject({ signature: place, stamp: place }).describe('Places of the marks');
const image = uuid.describe('PNG or WebP with an alpha channel, at least 5 % of its pixels fully transparent and 0.1 % visible');

export const signingBody = z
  .strictObject({
    signer_name: printableText(200).meta({ description: `Full name. ${printedWords}`, examples: ['Әбенова Гүлнар Өмірқызы'] }),
    signer_position: printableText(200).meta({ examples: ['Бас хатшы'] }),
    signature_file_id: image,
    stamp_file_id: image,
    layout,
  })
  .meta({ id: 'NewFederationSigning' });

/** The signing setting (AGR-8). */
export const signingResponse = z
  .object({
    signer_name: z.string().describe('Full name of the person who signs'),
    signer_position: z.string().describe('Their job title'),
    signature_file_id: uuid.describe('Administrators open it with GET /files/{uuid}'),
    stamp_file_id: uuid.describe('Administrators open it with GET /files/{uuid}'),
    layout,
    updated_at: dateTimeResponse.describe('When the setting was last changed'),
    updated_by: id.describe('The administrator who changed it'),
  })
  .meta({ id: 'FederationSigning' });

export function presentSigning(signing: Signing): z.input<typeof signingResponse> {
  return {
    signer_name: signing.signerName,
    signer_position: signing.signerPosition,
    signature_file_id: signing.signature.id,
    stamp_file_id: signing.stamp.id,
    layout: signing.layout,
    updated_at: formatVersion(signing.createdAt),
    updated_by: signing.actorId,
  };
}
