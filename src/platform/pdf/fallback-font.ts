import type { Content, DynamicContent } from 'pdfmake/interfaces.js';
import { splitByFont } from './printable-text.ts';

/** Font family for characters that the main font lacks. */
export const fallbackFamily = 'Noto Sans';

/** Applies the fallback font to characters that the main font lacks, in all texts of `content`. Other documents keep their bytes. */
export function withFallbackFont(content: Content): Content {
  return walk(content) as Content;
}

/** The same for a header or footer, which may be a function of the page. */
export function withFallbackFontOnPages<Part extends Content | DynamicContent | undefined>(part: Part): Part | DynamicContent | Content {
  if (part === undefined) return part;
  if (typeof part !== 'function') return withFallbackFont(part);
  return (page, pages, size) => {
    const made = part(page, pages, size);
    return made && withFallbackFont(made);
  };
}

/** Properties with texts or other nodes. */
const inner = ['text', 'stack', 'columns', 'table', 'body'] as const;

function walk(node: unknown): unknown {
  if (typeof node === 'string') return inFonts(node);
  if (Array.isArray(node)) return node.map(walk);
  if (typeof node !== 'object' || node === null) return node;
  const changed: Record<string, unknown> = { ...node };
  for (const name of inner) if (name in changed) changed[name] = walk(changed[name]);
  return changed;
}

function inFonts(text: string): unknown {
  const parts = splitByFont(text);
  if (parts.length === 1) return text;
  const runs = parts.map((part, index) => (index % 2 === 1 ? { text: part, font: fallbackFamily } : part)).filter((run) => run !== '');
  return { text: runs };
}
