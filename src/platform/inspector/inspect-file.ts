import { stat } from 'node:fs/promises';
import { fileTypeFromFile } from 'file-type';
import { inspectImage } from './inspect-image.ts';
import { inspectPdf } from './inspect-pdf.ts';
import { type AcceptedType, acceptedTypes, type Inspection, type InspectionRequest, refuse } from './inspection.ts';

/**
 * Tells what an upload is and whether it may be kept. Meant for a process that can be killed: the bytes are hostile.
 * `onType` is told the type before anything is decoded.
 * @throws {Error} when the machine fails (a file is not there, a disk is full), and never because of the file's content.
 */
export async function inspectFile(request: InspectionRequest, onType: (type: AcceptedType) => void = () => undefined): Promise<Inspection> {
  const { size } = await stat(request.path);
  if (size === 0) return refuse('file_empty');
  const mime = await detectType(request.path);
  if (!mime) return refuse('unsupported_type');
  onType(mime);
  return mime === 'application/pdf' ? inspectPdf(request.path) : inspectImage(request, mime);
}

async function detectType(path: string): Promise<AcceptedType | undefined> {
  try {
    const detected = await fileTypeFromFile(path);
    return acceptedTypes.find((type) => type === detected?.mime);
  } catch {
    // A file that breaks off within what names its type is of no type.
    return undefined;
  }
}
