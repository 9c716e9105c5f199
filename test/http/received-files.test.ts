import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { mkdtempDisposable, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathForReceiving, removeAbandonedFiles } from '../../src/http/request/received-files.ts';

test('the next start deletes the files that a killed process was receiving, and no others', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'received-'));
  const killed = spawn(process.execPath, ['-e', '0']);
  await once(killed, 'exit');
  const names = [
    `registry-upload-${killed.pid}-a`,
    // In a container, the next process has the id of the former one.
    basename(pathForReceiving()),
    `registry-upload-${process.ppid}-b`,
    'registry-upload-c',
    'of-another-program',
  ];
  for (const name of names) await writeFile(join(folder.path, name), 'bytes');
  await removeAbandonedFiles(folder.path);
  expect((await readdir(folder.path)).toSorted()).toEqual(names.slice(2).toSorted());
});
