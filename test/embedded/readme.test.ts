import { readFileSync } from 'node:fs';
import { describeVariables } from '../../src/config.ts';

const readme = readFileSync('README.md', 'utf8');
const scripts = (JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }).scripts;

describe('the README', () => {
  test('has every variable of the configuration in its table, with its meaning', () => {
    const rows = readme.split('\n').map((line) => line.split(/ *\| */));
    const missing = describeVariables().filter(
      ({ name, description }) => !rows.some((cells) => cells[1] === `\`${name}\`` && cells[3] === description),
    );
    expect(missing).toEqual([]);
  });

  test('names only npm scripts that exist', () => {
    const named = [...readme.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});
