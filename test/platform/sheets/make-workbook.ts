import { crc32, deflateRawSync } from 'node:zlib';

/** A file of a zip; by itself its deflated content with the right facts. */
export interface ZipFile {
  name: string;
  content: string | Buffer;
  /** Bytes unpacked, as the zip declares them. */
  declaredSize?: number;
  flags?: number;
  checksum?: number;
}

/** Returns a zip, which can lie about its files. */
export function zipOf(files: readonly ZipFile[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, declaredSize, flags = 0x800, checksum } of files) {
    const bytes = Buffer.isBuffer(content) ? content : Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const title = Buffer.from(name);
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(flags, 2);
    facts.writeUInt16LE(8, 4);
    facts.writeUInt32LE(checksum ?? crc32(bytes), 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(declaredSize ?? bytes.length, 18);
    facts.writeUInt16LE(title.length, 22);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('504b01021400', 'hex'), facts, rest, title);
    locals.push(Buffer.from('504b0304', 'hex'), facts, title, packed);
    offset += 4 + facts.length + title.length + packed.length;
  }
  const head = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(head.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, head, end]);
}

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packageNames = 'http://schemas.openxmlformats.org/package/2006';
export const xmlHead = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

export interface WorkbookParts {
  /** Content of `sheetData`, a sheet each. */
  data?: readonly string[];
  /** Whole XML of the first sheet, in place of `data`. */
  sheetXml?: string;
  /** Elements `si`. */
  strings?: string;
  /** Number formats of the cell formats by their order: a code, or a built-in id. */
  formats?: readonly (string | number)[];
  /** Elements behind `sheetData`. */
  behind?: string;
  workbookXml?: string;
  /** Attributes of `workbookPr`. */
  properties?: string;
  /** States of the sheets. */
  states?: readonly string[];
  contentType?: string;
  /** Further files; one of the same name takes the place of a part. */
  files?: readonly ZipFile[];
}

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** Returns the files of a workbook in the form that the standard shows. */
export function workbookFiles(parts: WorkbookParts): ZipFile[] {
  const { data = [''], strings, formats = [], behind = '', properties = '', states = [], files = [] } = parts;
  const { contentType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml' } = parts;
  const codes = formats.map((format, index) => (typeof format === 'string' ? [100 + index, format] : null)).filter((code) => code !== null);
  const styles =
    `${xmlHead}<styleSheet xmlns="${main}"><numFmts count="${codes.length}">` +
    `${codes.map(([id, code]) => `<numFmt numFmtId="${id}" formatCode="${escapeXml(String(code))}"/>`).join('')}</numFmts>` +
    `<cellStyleXfs count="1"><xf numFmtId="14"/></cellStyleXfs><cellXfs>` +
    `${formats.map((format, index) => `<xf numFmtId="${typeof format === 'string' ? 100 + index : format}" xfId="0"/>`).join('')}</cellXfs></styleSheet>`;
  const all: ZipFile[] = [
    {
      name: '[Content_Types].xml',
      content: `${xmlHead}<Types xmlns="${packageNames}/content-types"><Override PartName="/xl/workbook.xml" ContentType="${contentType}"/></Types>`,
    },
    {
      name: '_rels/.rels',
      content: `${xmlHead}<Relationships xmlns="${packageNames}/relationships"><Relationship Id="rId1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    },
    {
      name: 'xl/workbook.xml',
      content:
        parts.workbookXml ??
        `${xmlHead}<workbook xmlns="${main}" xmlns:r="${relations}"><workbookPr ${properties}/><sheets>${data
          .map(
            (_, index) =>
              `<sheet name="Sheet${index + 1}" sheetId="${index + 1}" state="${states[index] ?? 'visible'}" r:id="rId${index + 1}"/>`,
          )
          .join('')}</sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      content: `${xmlHead}<Relationships xmlns="${packageNames}/relationships">${data
        .map((_, index) => `<Relationship Id="rId${index + 1}" Type="${relations}/worksheet" Target="worksheets/sheet${index + 1}.xml"/>`)
        .join('')}<Relationship Id="st" Type="${relations}/styles" Target="styles.xml"/>${
        strings === undefined ? '' : `<Relationship Id="ss" Type="${relations}/sharedStrings" Target="sharedStrings.xml"/>`
      }</Relationships>`,
    },
    { name: 'xl/styles.xml', content: styles },
    ...(strings === undefined ? [] : [{ name: 'xl/sharedStrings.xml', content: `${xmlHead}<sst xmlns="${main}">${strings}</sst>` }]),
    ...data.map((rows, index) => ({
      name: `xl/worksheets/sheet${index + 1}.xml`,
      content:
        index === 0 && parts.sheetXml !== undefined
          ? parts.sheetXml
          : `${xmlHead}<worksheet xmlns="${main}"><sheetData>${rows}</sheetData>${behind}</worksheet>`,
    })),
  ];
  const replaced = new Set(files.map(({ name }) => name));
  return [...all.filter(({ name }) => !replaced.has(name)), ...files];
}

/** Returns a workbook of these parts. */
export function workbookOf(parts: WorkbookParts): Buffer {
  return zipOf(workbookFiles(parts));
}
