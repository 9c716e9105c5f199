import { Button, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Problem } from './problem.tsx';

/** Gives a file to the browser's downloads. */
export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/** Reads a file and saves it; says why when it is refused. @param read of the API, with `parseAs: 'blob'` */
export function DownloadButton({ name, read, children }: { name: string; read(): Promise<{ data: Blob }>; children: ReactNode }) {
  const download = useMutation({ mutationFn: read, onSuccess: ({ data }) => saveFile(data, name) });
  return (
    <Stack gap="xs">
      <Button variant="default" loading={download.isPending} onClick={() => download.mutate()}>
        {children}
      </Button>
      {download.error !== null && <Problem error={download.error} />}
    </Stack>
  );
}
