import { relative } from 'node:path';
import { reasonIn } from './log-file.ts';
import { projectDirectory } from './scripts.ts';

/** Node names the place of a syntax error in a line of its own, before the error. */
const placeByNode = /^(?:file:\/\/)?(\/.*\.[mc]?[jt]s):(\d+)$/m;
/** The bundler of the workflows says which file it cannot bundle, and its compiler where the error is. */
const errorOfBundle = /^ERROR in \.\/(\S+)(?: (\d+):\d\S*)?\n(.+)$/m;
const placeByCompiler = /,-\[(\/.*\.ts):(\d+):\d+\]/;

/**
 * One line for a program whose source does not load, with file and line, from what the program wrote. `undefined` when it ended for
 * another reason.
 */
export function explainSource(output: string): string | undefined {
  const reason = reasonIn(output);
  const byNode = placeByNode.exec(output);
  if (byNode && reason !== undefined) return `${reason} (${relative(projectDirectory, byNode[1] ?? '')}:${byNode[2]})`;
  const bundle = errorOfBundle.exec(output);
  if (!bundle) return undefined;
  const [, file, line = placeByCompiler.exec(output)?.[2], message = ''] = bundle;
  const said = /^Error: .*$/m.exec(output)?.[0].replace(/^Error: +x +/, 'SyntaxError: ');
  return `${message.startsWith('Module build failed') ? (said ?? message) : message} (${file}${line === undefined ? '' : `:${line}`})`;
}
