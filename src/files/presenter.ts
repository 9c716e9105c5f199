import type { z } from 'zod';
import { formatDateTime } from '../platform/date-time.ts';
import type { StoredFile } from './entities.ts';
import type { fileResponse } from './schemas.ts';

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
