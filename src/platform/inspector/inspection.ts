/** Accepted types of uploads, detected by content, never by name. */
export const acceptedTypes = ['image/jpeg', 'image/png', 'image/webp', 'application/pdf'] as const;
export type AcceptedType = (typeof acceptedTypes)[number];

export type InspectionRequest = {
  /** the uploaded file */
  path: string;
  /** path for the re-encoded image */
  outPath: string;
  /** whether to measure the transparent share of an image */
  measuresTransparency?: boolean;
};

export const refusalCodes = [
  'unsupported_type',
  'image_unreadable',
  'image_too_large',
  'image_side_too_long',
  'pdf_unreadable',
  'pdf_encrypted',
  'pdf_active_content',
  'pdf_too_complex',
  'file_empty',
  'inspection_timeout',
] as const;
export type RefusalCode = (typeof refusalCodes)[number];

/** An accepted file. */
export type Accepted = {
  ok: true;
  mime: AcceptedType;
  /** bytes of the stored file */
  size: number;
  /** hex, of the stored file */
  sha256: string;
  /** pixels of the upright image; images only */
  width?: number;
  height?: number;
  /** share of fully transparent pixels, 0-1; images only, with `measuresTransparency` */
  transparentShare?: number;
  /** PDF only */
  pages?: number;
  /** the file to store: the re-encoded image at `outPath`, or the uploaded PDF */
  path: string;
};

/** A refused file; `message` is for its sender. */
export type Refused = { ok: false; code: RefusalCode; message: string };

export type Inspection = Accepted | Refused;

const messages: Record<RefusalCode, string> = {
  unsupported_type: 'Only JPEG, PNG, WebP and PDF files are accepted; the content decides, not the name.',
  image_unreadable: 'The image is damaged or incomplete.',
  image_too_large: 'The image has more than 40 million pixels.',
  image_side_too_long: 'A side of the image is longer than 20,000 pixels.',
  pdf_unreadable: 'The PDF is damaged or has no pages.',
  pdf_encrypted: 'The PDF is encrypted; save it without a password.',
  pdf_active_content: 'The PDF contains scripts, embedded files, or actions that open or send something; print it to a new PDF.',
  pdf_too_complex: 'The PDF takes too long to inspect; print it to a new PDF.',
  file_empty: 'The file is empty.',
  inspection_timeout: 'The file took too long to inspect.',
};

export function refuse(code: RefusalCode): Refused {
  return { ok: false, code, message: messages[code] };
}
