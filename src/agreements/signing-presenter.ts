import type { z } from 'zod';
import { formatVersion } from '../platform/date-time.ts';
import type { Signing } from './find-signing.ts';
import type { signingResponse } from './signing-schemas.ts';

export function presentSigning(signing: Signing): z.input<typeof signingResponse> {
  const { signature, stamp } = signing.layout;
  return {
    signer_name: signing.signerName,
    signer_position: signing.signerPosition,
    signature_file_id: signing.signature.fileId,
    stamp_file_id: signing.stamp.fileId,
    layout: {
      signature: { x: signature.x, y: signature.y, scale: signature.scale },
      stamp: { x: stamp.x, y: stamp.y, scale: stamp.scale },
    },
    updated_at: formatVersion(signing.createdAt),
    updated_by: signing.actorId,
  };
}
