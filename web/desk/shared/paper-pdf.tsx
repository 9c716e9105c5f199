import { Loader } from '@mantine/core';
import { useState } from 'react';
import { Document, Page, pdfjs } from 'react-pdf';
import type { SheetProps } from './paper.tsx';

pdfjs.GlobalWorkerOptions.workerSrc = new URL('pdfjs-dist/build/pdf.worker.min.mjs', import.meta.url).href;

/** Office scanners write CCITT and JBIG2, and archives JPEG 2000; pdf.js decodes them by WebAssembly. */
const decoders: Readonly<Record<string, string>> = {
  'jbig2.wasm': new URL('pdfjs-dist/wasm/jbig2.wasm', import.meta.url).href,
  'openjpeg.wasm': new URL('pdfjs-dist/wasm/openjpeg.wasm', import.meta.url).href,
};

/** The worker has no network: the page reads the decoders for it. */
class DecoderFiles {
  async fetch({ filename }: { filename: string }): Promise<Uint8Array> {
    const address = decoders[filename];
    if (address === undefined) throw new Error(`pdf.js asks for an unknown file: ${filename}`);
    return new Uint8Array(await (await fetch(address)).arrayBuffer());
  }
}

const options = { BinaryDataFactory: DecoderFiles };
/** Pixels: a phone gives no memory to a wider canvas. */
const mostCanvasWidth = 4000;
const aspectOfA4 = Math.SQRT2;

/** One page of a PDF. The sheet keeps its size while its content is rendered, so that nothing jumps. */
export function PdfSheet({ content, label, page, width, turns, onPages, onUnreadable }: SheetProps) {
  const [ownRotation, setOwnRotation] = useState(0);
  const [aspect, setAspect] = useState(aspectOfA4);
  const view = [page, width, ownRotation, turns].join();
  const [rendered, setRendered] = useState('');
  const onTrouble = { onLoadError: onUnreadable, onSourceError: onUnreadable, onRenderError: onUnreadable, error: '' };
  return (
    <Document
      {...onTrouble}
      file={content}
      options={options}
      suspense={false}
      loading={<Loader m="md" />}
      onLoadSuccess={({ numPages }) => onPages(numPages)}
      onPassword={() => {
        // Otherwise react-pdf asks for it in a prompt.
        throw new Error('the PDF needs a password');
      }}
    >
      <div role="img" aria-label={label} style={{ width, minHeight: width * aspect, margin: '0 auto', background: 'white' }}>
        <Page
          {...onTrouble}
          pageNumber={page}
          width={width}
          // Replaces the rotation that the page itself has.
          rotate={(ownRotation + turns * 90) % 360}
          devicePixelRatio={Math.min(devicePixelRatio, mostCanvasWidth / width)}
          suspense={false}
          renderTextLayer={false}
          renderAnnotationLayer={false}
          loading=""
          onLoadSuccess={({ rotate }) => setOwnRotation(rotate)}
          onRenderSuccess={({ width, height, objs, commonObjs }) => {
            setRendered(view);
            setAspect(height / width);
            // pdf.js leaves out an image that it cannot decode, and holds null for it.
            if ([...objs, ...commonObjs].some(([, object]) => object === null)) onUnreadable();
          }}
        >
          {rendered !== view && <Loader pos="absolute" top={16} left={16} />}
        </Page>
      </div>
    </Document>
  );
}
