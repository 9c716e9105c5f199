type Decode = (source: HTMLVideoElement | ImageBitmap, width: number, height: number, view: View) => Promise<string | null>;

/** What the script looks at: a part of each side around the middle, drawn with at most so many pixels on its longer side. */
interface View {
  part: number;
  pixels: number;
  mostEnlarged: number;
}

interface BarcodeDetector {
  detect(source: CanvasImageSource): Promise<{ rawValue: string }[]>;
}
declare const BarcodeDetector: {
  new (options: { formats: string[] }): BarcodeDetector;
  getSupportedFormats(): Promise<string[]>;
};

/** In turn; larger ones take the script longer than the camera's next picture. The second enlarges a distant code. */
const cameraViews: readonly View[] = [
  { part: 1, pixels: 1000, mostEnlarged: 1 },
  { part: 0.6, pixels: 800, mostEnlarged: 3 },
];
/** One after the other: the script misses small modules, such as those of a page at 150 dpi, and of each size some. */
const photoViews: readonly View[] = [
  { part: 1, pixels: 1600, mostEnlarged: 1 },
  { part: 1, pixels: 2600, mostEnlarged: 3 },
  { part: 1, pixels: 3500, mostEnlarged: 3 },
  { part: 1, pixels: 4400, mostEnlarged: 3 },
];
const pauseMs = 100;

/** A running camera. */
export interface Camera {
  /** Null where the camera has no torch. */
  switchTorch: ((on: boolean) => Promise<void>) | null;
  stop(): void;
}

/**
 * Shows the rear camera and calls back with each QR.
 * @throws when the person or the device refuses
 */
export async function startCamera(video: HTMLVideoElement, onText: (text: string) => void): Promise<Camera> {
  const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' }, audio: false });
  video.srcObject = stream;
  await video.play();
  const decode = await createDecoder();
  const stopped = new AbortController();
  const look = async () => {
    for (let turn = 0; !stopped.signal.aborted; turn += 1) {
      const isSeen = video.videoWidth > 0 && document.visibilityState === 'visible';
      const view = cameraViews[turn % cameraViews.length];
      const text = isSeen && view ? await decode(video, video.videoWidth, video.videoHeight, view) : null;
      if (!stopped.signal.aborted && text !== null) onText(text);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  };
  void look();
  const [track] = stream.getVideoTracks();
  const hasTorch = track !== undefined && 'torch' in (track.getCapabilities?.() ?? {});
  return {
    switchTorch: hasTorch ? (on) => track.applyConstraints({ advanced: [{ torch: on } as MediaTrackConstraintSet] }) : null,
    stop() {
      stopped.abort();
      for (const each of stream.getTracks()) each.stop();
      video.srcObject = null;
    },
  };
}

/** Reads the QR of a photo; null when there is none. */
export async function readPhoto(photo: Blob): Promise<string | null> {
  const image = await createImageBitmap(photo);
  const decode = await createDecoder();
  for (const view of photoViews) {
    const text = await decode(image, image.width, image.height, view);
    if (text !== null) return text;
  }
  return null;
}

/** Uses the browser's own detector where it reads QR, else a library. */
async function createDecoder(): Promise<Decode> {
  if ('BarcodeDetector' in globalThis && (await BarcodeDetector.getSupportedFormats()).includes('qr_code')) {
    const detector = new BarcodeDetector({ formats: ['qr_code'] });
    return async (source) => (await detector.detect(source))[0]?.rawValue ?? null;
  }
  const { default: decode } = await import('jsqr');
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d', { willReadFrequently: true });
  return async (source, width, height, { part, pixels: limit, mostEnlarged }) => {
    const [seenWidth, seenHeight] = [width * part, height * part];
    const scale = Math.min(mostEnlarged, limit / Math.max(seenWidth, seenHeight));
    canvas.width = Math.round(seenWidth * scale);
    canvas.height = Math.round(seenHeight * scale);
    const [left, top] = [(width - seenWidth) / 2, (height - seenHeight) / 2];
    context?.drawImage(source, left, top, seenWidth, seenHeight, 0, 0, canvas.width, canvas.height);
    const pixels = context?.getImageData(0, 0, canvas.width, canvas.height);
    return (pixels && decode(pixels.data, pixels.width, pixels.height)?.data) || null;
  };
}
