import type { ReactNode } from 'react';
import { ActionButton } from './action.tsx';

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
  return <ActionButton run={() => read().then(({ data }) => saveFile(data, name))}>{children}</ActionButton>;
}
