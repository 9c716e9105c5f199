import { readdirSync, readFileSync } from 'node:fs';

/** Every page of the documentation, by path from the project's folder. */
export const pages: readonly string[] = [
  'README.md',
  'client/README.md',
  'src/platform/database/README.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** The scripts of package.json. */
export const scripts: ReadonlySet<string> = new Set(
  Object.keys((JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }).scripts),
);

/** The npm scripts that a text tells its reader to run. */
export function namedScripts(text: string): string[] {
  return [...text.matchAll(/npm (?:run ([\w:-]+)|(start|test)\b)/g)].map(([, name, short]) => name ?? short ?? '');
}

/** What lies in one page for readers of others: the anchors of its headings, as GitHub and editors make them. */
export function anchorsOf(text: string): Set<string> {
  const headings = [...withoutCode(text).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(/\s/g, '-'),
    ),
  );
}

/** The targets of a text's links that lie in the repository. */
export function relativeLinks(text: string): string[] {
  const links = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return links.filter((target) => !/^[a-z]+:/.test(target));
}

/** Files and folders that a text names in code spans, such as `src/registry/config.ts` and `src/http/`; patterns and placeholders are none. */
export function namedPaths(text: string): string[] {
  return spansIn(text).filter((span) => /^(src|workflows|activities|worker|test|docs|\.ci)\/[\w./-]*$/.test(span));
}

/** Functions that a text calls in code spans, such as `startProcess(ctx, definition, row)`. */
export function calledFunctions(text: string): string[] {
  return spansIn(text).flatMap((span) => [...span.matchAll(/(?<![\w-])([a-z]\w*)\(/gi)].map(([, name = '']) => name));
}

function spansIn(text: string): string[] {
  return [...withoutCode(text).matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
}

/** Without its blocks of code, where a `#` is a comment and a bracket is none of ours. */
function withoutCode(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```/gm, '');
}
