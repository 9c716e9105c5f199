type Decode = (source: HTMLVideoElement | ImageBitmap, width: number, height: number) => Promise<string | null>;

interface BarcodeDetector {
  detect(source: CanvasImageSource): Promise<{ rawValue: string }[]>;
}
declare const BarcodeDetector: {
  new (options: { formats: string[] }): BarcodeDetector;
  getSupportedFormats(): Promise<string[]>;
};

/** Larger pictures take the script longer than the camera's next picture. */
const maxPixels = 800;
const maxPhotoPixels = 1600;
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
  const decode = await createDecoder(maxPixels);
  const stopped = new AbortController();
  const look = async () => {
    while (!stopped.signal.aborted) {
      const text =
        video.videoWidth > 0 && document.visibilityState === 'visible' ? await decode(video, video.videoWidth, video.videoHeight) : null;
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
  const decode = await createDecoder(maxPhotoPixels);
  return decode(image, image.width, image.height);
}

/** Uses the browser's own detector where it reads QR, else a library. */
async function createDecoder(limit: number): Promise<Decode> {
  if ('BarcodeDetector' in globalThis && (await BarcodeDetector.getSupportedFormats()).includes('qr_code')) {
    const detector = new BarcodeDetector({ formats: ['qr_code'] });
    return async (source) => (await detector.detect(source))[0]?.rawValue ?? null;
  }
  const library = await import('jsqr');
  const decode = library.default as unknown as typeof library.default.default;
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d', { willReadFrequently: true });
  return async (source, width, height) => {
    const scale = Math.min(1, limit / Math.max(width, height));
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    context?.drawImage(source, 0, 0, canvas.width, canvas.height);
    const pixels = context?.getImageData(0, 0, canvas.width, canvas.height);
    return (pixels && decode(pixels.data, pixels.width, pixels.height)?.data) || null;
  };
}
