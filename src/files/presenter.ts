import type { z } from 'zod';
import { formatDateTime } from '../platform/date-time.ts';
import type { StoredFile } from './entities.ts';
import type { fileOut } from './schemas.ts';

export function presentFile(file: StoredFile): z.input<typeof fileOut> {
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
