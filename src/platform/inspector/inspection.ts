/** The types an upload may have, detected by content and never by name. */
export const acceptedTypes = ['image/jpeg', 'image/png', 'image/webp', 'application/pdf'] as const;
export type AcceptedType = (typeof acceptedTypes)[number];

export type InspectionRequest = {
  /** the file as it was sent */
  path: string;
  /** where to write the image that will be stored instead */
  outPath: string;
  /** whether to tell how much of an image is transparent */
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

/** A file that may be kept. */
export type Accepted = {
  ok: true;
  mime: AcceptedType;
  /** bytes of what is to be stored */
  size: number;
  /** hex, of what is to be stored */
  sha256: string;
  /** pixels as a person sees the image, upright; images only */
  width?: number;
  height?: number;
  /** part of the pixels that are fully transparent, 0-1; images only, where it was asked for */
  transparentShare?: number;
  /** PDF only */
  pages?: number;
  /** the file to store: an image re-encoded without its metadata at `outPath`, or the PDF that was sent */
  path: string;
};

/** A file that may not; `message` is a sentence for the person who sent it. */
export type Refused = { ok: false; code: RefusalCode; message: string };

export type Inspection = Accepted | Refused;

const messages: Record<RefusalCode, string> = {
  unsupported_type: 'Only JPEG, PNG, WebP and PDF files are accepted; the type is told by the content, not by the name.',
  image_unreadable: 'The image is damaged or incomplete.',
  image_too_large: 'The image has more than 40 million pixels.',
  image_side_too_long: 'A side of the image is longer than 20,000 pixels.',
  pdf_unreadable: 'The PDF is damaged or has no pages.',
  pdf_encrypted: 'The PDF is encrypted; save it without a password.',
  pdf_active_content: 'The PDF contains scripts, embedded files, or actions that open or send something outside; print it to a new PDF.',
  pdf_too_complex: 'The PDF is built in a way that takes too long to examine; print it to a new PDF.',
  file_empty: 'The file is empty.',
  inspection_timeout: 'The file took too long to examine.',
};

export function refuse(code: RefusalCode): Refused {
  return { ok: false, code, message: messages[code] };
}
