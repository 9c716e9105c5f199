import { SheetRefusedError } from './refusal.ts';
import { localName, readXml } from './read-xml.ts';
import { sheetLimits } from './sheet-content.ts';
import { resolveTarget, type WorkbookPackage } from './workbook-package.ts';

/** The main part of a workbook: what its sheets are called, and where they are. */
export interface Workbook {
  /** Visible worksheets in the order of their tabs. */
  sheets: readonly { name: string; part: string }[];
  /** Null when the workbook has none. */
  stylesPart: string | null;
  stringsPart: string | null;
  /** Whether days count from 1904. */
  since1904: boolean;
}

interface Relation {
  id: string;
  /** The last word of the type; the transitional and the strict form of the format differ before it. */
  type: string;
  part: string;
}

/**
 * Reads which sheets a workbook has.
 * @throws {SheetRefusedError} when the package is no workbook, has macros, or has too many sheets
 */
export async function readWorkbook(files: WorkbookPackage): Promise<Workbook> {
  const part = await findWorkbook(files);
  const relations = await readRelations(files, part);
  const parts = new Map(relations.map((relation) => [relation.id, relation]));
  const sheets: { name: string; part: string }[] = [];
  let since1904 = false;
  let count = 0;
  await readXml(files.read(part), {
    open(name, attributes) {
      if (name === 'workbookPr') since1904 = isTrue(attributes['date1904']);
      if (name !== 'sheet') return;
      count += 1;
      if (count > sheetLimits.sheets) throw new SheetRefusedError('sheets');
      const relation = parts.get(relationId(attributes));
      // A chart or dialog on a tab of its own has no rows.
      const isVisible = (attributes['state'] ?? 'visible') === 'visible' && relation?.type === 'worksheet';
      if (isVisible) sheets.push({ name: attributes['name'] ?? '', part: relation.part });
      else if (!relation) throw new SheetRefusedError('unreadable');
    },
  });
  if (count === 0) throw new SheetRefusedError('unreadable');
  const partOf = (type: string) => relations.find((relation) => relation.type === type)?.part ?? null;
  return { sheets, stylesPart: partOf('styles'), stringsPart: partOf('sharedStrings'), since1904 };
}

/** Refuses macros by the content, since a workbook with macros can have the name of one without. */
async function findWorkbook(files: WorkbookPackage): Promise<string> {
  if (!files.has('[Content_Types].xml')) throw new SheetRefusedError(await kindOfOther(files));
  const types: string[] = [];
  await readXml(files.read('[Content_Types].xml'), {
    open(_name, attributes) {
      if (attributes['ContentType'] !== undefined) types.push(attributes['ContentType'].toLowerCase());
    },
  });
  if (types.some((type) => type.includes('ms-excel.sheet.binary'))) throw new SheetRefusedError('binary_workbook');
  const hasMacroFile = [...files.names].some((name) => name.endsWith('vbaproject.bin') || name.startsWith('xl/macrosheets/'));
  if (hasMacroFile || types.some((type) => /macroenabled|vbaproject|macrosheet/.test(type))) throw new SheetRefusedError('macros');
  if (!types.some((type) => type.includes('spreadsheetml'))) throw new SheetRefusedError('not_a_sheet');
  const root = (await readRelations(files, '')).find(({ type }) => type === 'officeDocument');
  if (!root) throw new SheetRefusedError('unreadable');
  return root.part;
}

async function kindOfOther(files: WorkbookPackage): Promise<'open_document' | 'not_a_sheet'> {
  if (!files.has('mimetype')) return 'not_a_sheet';
  let mime = '';
  for await (const bytes of files.read('mimetype')) {
    mime += bytes.toString('latin1');
    if (mime.length > 100) break;
  }
  return mime.startsWith('application/vnd.oasis.opendocument.') ? 'open_document' : 'not_a_sheet';
}

/** Returns what a part refers to within the package. */
async function readRelations(files: WorkbookPackage, part: string): Promise<Relation[]> {
  const at = part.lastIndexOf('/') + 1;
  const name = `${part.slice(0, at)}_rels/${part.slice(at)}.rels`;
  const relations: Relation[] = [];
  await readXml(files.read(name), {
    open(element, { Id: id, Type: type, Target: target, TargetMode: mode }) {
      if (element !== 'Relationship' || id === undefined || target === undefined || mode === 'External') return;
      relations.push({ id, type: type?.split('/').at(-1) ?? '', part: resolveTarget(part, target) });
    },
  });
  return relations;
}

/** The attribute `r:id`, whatever the prefix; `sheetId` is another. */
function relationId(attributes: Readonly<Record<string, string>>): string {
  return Object.entries(attributes).find(([name]) => name.includes(':') && localName(name) === 'id')?.[1] ?? '';
}

export function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}
