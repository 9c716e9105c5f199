import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SourceWatcher, watchSources } from '../../src/tools/embedded/source-watcher.ts';
import { waitFor } from '../support/wait-for.ts';

describe('watching the source', () => {
  let root: string;
  let watcher: SourceWatcher;
  const told: string[][] = [];
  const at = (...names: string[]) => join(root, ...names);

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'registry-source-'));
    mkdirSync(at('src', 'area'), { recursive: true });
    mkdirSync(at('test'));
    writeFileSync(at('src', 'area', 'x.ts'), '1');
    told.length = 0;
    watcher = watchSources(root, ['src'], (paths) => void told.push(paths));
  });
  afterEach(() => {
    watcher.close();
    rmSync(root, { recursive: true, force: true });
  });

  /** What was told of these changes: all that comes before a file written after them. */
  async function after(change: () => void): Promise<string[]> {
    told.length = 0;
    change();
    writeFileSync(at('src', 'last.ts'), '1');
    await waitFor(
      () => told.flat(),
      (paths) => paths.includes('src/last.ts'),
      'the last file to be told',
    );
    return [...new Set(told.flat())].filter((path) => path !== 'src/last.ts');
  }
  const replace = (path: string, text: string) => {
    writeFileSync(`${path}~`, text);
    renameSync(`${path}~`, path);
  };

  it('tells of a file that is written, again and again', async () => {
    for (const text of ['2', '3']) expect(await after(() => writeFileSync(at('src', 'area', 'x.ts'), text))).toEqual(['src/area/x.ts']);
  });

  it('tells of a file that an editor replaces, and of the next change to it', async () => {
    for (const text of ['2', '3', '4']) expect(await after(() => replace(at('src', 'area', 'x.ts'), text))).toEqual(['src/area/x.ts']);
    expect(await after(() => writeFileSync(at('src', 'area', 'x.ts'), '5'))).toEqual(['src/area/x.ts']);
  });

  it('tells of files in folders made later, moved or made anew', async () => {
    expect(
      await after(() => {
        mkdirSync(at('src', 'new', 'deep'), { recursive: true });
        writeFileSync(at('src', 'new', 'deep', 'y.ts'), '1');
      }),
    ).toEqual(['src/new/deep/y.ts']);
    expect(await after(() => writeFileSync(at('src', 'new', 'deep', 'y.ts'), '2'))).toEqual(['src/new/deep/y.ts']);
    expect(await after(() => renameSync(at('src', 'new'), at('src', 'moved')))).toContain('src/moved/deep/y.ts');
    expect(await after(() => writeFileSync(at('src', 'moved', 'deep', 'y.ts'), '3'))).toEqual(['src/moved/deep/y.ts']);
    expect(await after(() => rmSync(at('src', 'moved'), { recursive: true }))).toContain('src/moved/deep/y.ts');
    await after(() => mkdirSync(at('src', 'moved', 'deep'), { recursive: true }));
    expect(await after(() => writeFileSync(at('src', 'moved', 'deep', 'z.ts'), '1'))).toEqual(['src/moved/deep/z.ts']);
  });

  it('tells of many changes at once', async () => {
    await after(() => {
      for (const name of ['a', 'b', 'c']) writeFileSync(at('src', 'area', `${name}.ts`), '1');
    });
    expect(told).toEqual([['src/area/a.ts', 'src/area/b.ts', 'src/area/c.ts', 'src/last.ts']]);
  });

  it('says nothing of other folders and of what editors write beside a file', async () => {
    const changes = () => {
      writeFileSync(at('test', 'x.ts'), '1');
      for (const name of ['.x.ts.swp', 'x.ts~', '4913', '.#x.ts', '#x.ts#']) writeFileSync(at('src', 'area', name), '1');
    };
    expect(await after(changes)).toEqual([]);
  });
});
