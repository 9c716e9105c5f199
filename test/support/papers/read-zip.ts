import { crc32, inflateRawSync } from 'node:zlib';

/**
 * What a ZIP holds, by name, read from its directory at the end as unpackers do and held against the checksums; written apart from what
 * writes them.
 */
export function readZip(zip: Buffer): Map<string, Buffer> {
  const end = zip.lastIndexOf(Buffer.from('PK\u0005\u0006', 'latin1'));
  if (end < 0) throw new Error('not a ZIP');
  const files = new Map<string, Buffer>();
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [nameLength, extraLength, noteLength] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset));
    const name = zip.toString('utf8', at + 46, at + 46 + (nameLength ?? 0));
    const head = zip.readUInt32LE(at + 42);
    const from = head + 30 + zip.readUInt16LE(head + 26) + zip.readUInt16LE(head + 28);
    const packed = zip.subarray(from, from + zip.readUInt32LE(at + 20));
    const bytes = zip.readUInt16LE(at + 10) === 0 ? packed : inflateRawSync(packed);
    if (crc32(bytes) !== zip.readUInt32LE(at + 16) || bytes.length !== zip.readUInt32LE(at + 24)) throw new Error(`${name} is damaged`);
    files.set(name, Buffer.from(bytes));
    at += 46 + (nameLength ?? 0) + (extraLength ?? 0) + (noteLength ?? 0);
  }
  return files;
}
