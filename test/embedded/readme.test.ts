import { readdirSync, readFileSync } from 'node:fs';
import { describeVariables } from '../../src/registry/config.ts';
import { namedScripts, scripts } from '../support/texts/documentation.ts';

const readme = readFileSync('README.md', 'utf8');
const configuration = readFileSync('docs/configuration.md', 'utf8');

describe('the README', () => {
  test('links to the list of all variables, with their meanings', () => {
    expect(readme).toContain('(docs/configuration.md)');
    const lines = configuration.split('\n');
    const missing = describeVariables().filter(
      ({ name, description }) => !lines.some((line) => line.startsWith(`- **\`${name}\`**`) && line.endsWith(`: ${description}`)),
    );
    expect(missing).toEqual([]);
  });

  test('names only npm scripts that exist', () => {
    expect(namedScripts(readme).filter((name) => !scripts.has(name))).toEqual([]);
  });

  test('links to every page of the documentation, and stays short', () => {
    const pages = readdirSync('docs').flatMap((name) => (name === 'pictures' ? [] : [`docs/${name}`]));
    expect(pages.filter((page) => !readme.includes(`](${page})`))).toEqual([]);
    expect(readme.length).toBeLessThan(8_000);
  });
});
