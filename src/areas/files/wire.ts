import { z } from 'zod';
import { dateTimeResponse, paging, uuid } from '../../http/schemas.ts';
import { formatDateTime } from '../../platform/date-time.ts';
import { filePurposes, type StoredFile } from './entities.ts';
import { fileMimes } from './mimes.ts';

const purpose = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,39}$/, 'must be a word of small letters, such as "identity"')
  .meta({
    description: `What the file is for, in a word of the owner's; it does not limit where the file may be used. Usual: ${filePurposes.join(', ')}`,
    examples: ['identity'],
  });

export const fileParams = z.strictObject({ uuid });
/** The text fields of the multipart body; the field `file` carries the file itself. */
export const uploadFields = z.strictObject({ purpose });
export const fileListQuery = z.strictObject({ ...paging, purpose: purpose.optional() });

/** A file as its owner sees it. */
export const fileResponse = z
  .object({
    id: uuid.meta({ description: 'Used as file_id or photo_id' }),
    purpose,
    name: z.string().meta({ description: 'The name it was sent under, made safe' }),
    mime: z
      .enum(fileMimes)
      .meta({ description: 'Told by the content, never by the name; XLSX and ZIP are made by the registry and not uploaded' }),
    size: z.int().meta({ description: 'Bytes, of what is stored: an image is stored without its metadata' }),
    sha256: z.string().meta({ description: 'Of what is stored, in hexadecimal; also its entity tag' }),
    width: z.int().nullable().meta({ description: 'Pixels; null for what is no image' }),
    height: z.int().nullable().meta({ description: 'Pixels; null for what is no image' }),
    pages: z.int().nullable().meta({ description: 'Pages of a PDF; null for anything else' }),
    created_at: dateTimeResponse,
    url: z.string().meta({ description: 'Where to open it, relative to the server; needs files:read' }),
  })
  .meta({ id: 'File' });

export function presentFile(file: Readonly<StoredFile>): z.input<typeof fileResponse> {
  return {
    id: file.id,
    purpose: file.purpose,
    name: file.name,
    mime: file.mime,
    size: file.size,
    sha256: file.sha256,
    width: file.width,
    height: file.height,
    pages: file.pages,
    created_at: formatDateTime(file.createdAt),
    url: `/api/v1/files/${file.id}`,
  };
}
