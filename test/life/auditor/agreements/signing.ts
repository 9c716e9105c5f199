import type { Asked } from '../area.ts';
import type { Exchange } from '../exchange.ts';
import { Finding } from '../finding.ts';
import { type Judgement, refuse } from '../judgement.ts';
import type { Model } from '../model.ts';

export const signingSetting = 'PUT /admin/federation-signing';
const [pageWidth, pageHeight] = [210, 297];
/** Millimetres at scale 1, and height by width of the images of a life (AGR-8). */
const marks = { signature: { width: 50, shape: 240 / 600 }, stamp: { width: 40, shape: 1 } } as const;

/** The setting of new agreements, as it is sent and shown. */
export interface SigningSetting {
  signer_name: string;
  signer_position: string;
  signature_file_id: string;
  stamp_file_id: string;
  layout: Record<keyof typeof marks, { x: number; y: number; scale: number }>;
}

/** Each mark is an image for it that can be seen, and lies wholly on the page (AGR-8). */
export function judgeSigning(model: Model, { operation, body, by }: Asked): Judgement | null {
  if (operation !== signingSetting) return null;
  const sent = body as SigningSetting;
  const kinds = ['signature', 'stamp'] as const;
  const files = kinds.map((mark) => model.files.get(sent[`${mark}_file_id`]));
  if (files.some((file) => file?.ownerId !== by.accountId)) return 'open';
  const isOnPage = kinds.every((mark) => {
    const { x, y, scale } = sent.layout[mark];
    const width = marks[mark].width * scale;
    return x + width <= pageWidth && y + width * marks[mark].shape <= pageHeight;
  });
  const areMarks = kinds.every((mark, index) => files[index]?.purpose === mark && !files[index].isInvisible);
  return isOnPage && areMarks ? 'accept' : refuse('validation_failed');
}

export function seeSigning(model: Model, { body }: Exchange): void {
  const sent = body as SigningSetting;
  model.signing = sent;
  for (const id of [sent.signature_file_id, sent.stamp_file_id]) model.usedMarks.add(id);
}

/** There is one setting, the last (AGR-8). @throws {Finding} */
export function readSigning({ signing }: Model, { operation, data }: Exchange): void {
  if (operation !== 'GET /admin/federation-signing' || signing === null) return;
  const { updated_at: _, updated_by: __, ...shown } = data as SigningSetting & { updated_at: string; updated_by: number };
  const inOrder = (one: SigningSetting) =>
    JSON.stringify([one.signer_name, one.signer_position, one.signature_file_id, one.stamp_file_id, placesOf(one)]);
  if (inOrder(shown) !== inOrder(signing)) throw new Finding('the signing setting is the one that was set last (AGR-8)', signing, shown);
}

const placesOf = ({ layout: { signature, stamp } }: SigningSetting) => [signature, stamp].map(({ x, y, scale }) => [x, y, scale]);
