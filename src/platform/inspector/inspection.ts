import type { ActiveContent } from './pdf-scan.ts';

/** Accepted types of uploads, detected by content, never by name. */
export const acceptedTypes = ['image/jpeg', 'image/png', 'image/webp', 'application/pdf'] as const;
export type AcceptedType = (typeof acceptedTypes)[number];

export type InspectionRequest = {
  /** the uploaded file */
  path: string;
  /** path for the re-encoded image */
  outPath: string;
  /** whether to measure how much of an image is transparent and visible */
  measuresTransparency?: boolean;
};

const refusalCodes = [
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
  /** shares of fully transparent pixels and of those seen on white paper, 0-1; images only, with `measuresTransparency` */
  transparentShare?: number;
  visibleShare?: number;
  /** PDF only */
  pages?: number;
  /** the file to store: the re-encoded image at `outPath`, or the uploaded PDF */
  path: string;
};

/** What a refused file is or has, where the advice depends on it. */
export type Found = 'heic' | 'progressive' | ActiveContent;

/** A refused file; `message` is for its sender and names what to do. */
export type Refused = { ok: false; code: RefusalCode; message: string; found?: Found };

export type Inspection = Accepted | Refused;

const messages: Record<RefusalCode, string> = {
  unsupported_type:
    'Only JPEG, PNG, WebP and PDF files are accepted; the content decides, not the name. Save a picture as JPEG and print a document to PDF.',
  image_unreadable: 'The image is damaged or incomplete. Open it, save it again as JPEG, and send that file.',
  image_too_large:
    'The image has more than 40 million pixels, or as JPEG more than 120 million. Reduce it, or save it as an ordinary JPEG.',
  image_side_too_long: 'A side of the image is longer than 20,000 pixels. Reduce or cut it.',
  pdf_unreadable: 'The PDF is damaged or has no pages. Open it, print it to a new PDF, and send that file.',
  pdf_encrypted: 'The PDF asks for a password, or is encrypted in an unusual way. Print it to a new PDF without a password.',
  pdf_active_content: 'The PDF opens or sends something by itself; print it to a new PDF.',
  pdf_too_complex: 'The PDF takes too long to inspect; print it to a new PDF.',
  file_empty: 'The file is empty. Choose the file again.',
  inspection_timeout:
    'The file took too long to inspect. Send it again; if it is refused again, reduce the image or print the PDF to a new one.',
};

const messagesOfFound: Record<Found, string> = {
  heic: 'HEIC, HEIF and AVIF photos are not accepted: set the camera to JPEG (iPhone: Settings, Camera, Formats, Most Compatible), or export the photo as JPEG.',
  progressive:
    'The JPEG is progressive and too large: as such it may have 66 million pixels in full colour (4:4:4), 100 million in 4:2:2 and 50 million in CMYK. Save it as a baseline JPEG (not "progressive"), or reduce it.',
  script: 'The PDF contains scripts, as many forms do; print it to PDF ("Print", then "Save as PDF") and send the new file.',
  form: 'The PDF is a form that programs fill in or send (XFA); print it to PDF ("Print", then "Save as PDF") and send the new file.',
  attachment:
    'The PDF contains attached files or media; print it to PDF ("Print", then "Save as PDF"), and send each attachment as a file of its own.',
  action: 'The PDF opens or sends something by itself; print it to PDF ("Print", then "Save as PDF") and send the new file.',
};

/** @param found what the file is or has; it makes the advice exact */
export function refuse(code: RefusalCode, found?: Found): Refused {
  return { ok: false, code, message: found ? messagesOfFound[found] : messages[code], ...(found && { found }) };
}
