import type { Verdict } from '../../client/src/verify-credential.ts';

/** Tones in hertz and vibration in milliseconds. */
const signals: Record<Verdict['verdict'], { tones: readonly number[]; vibration: number[] }> = {
  valid: { tones: [880], vibration: [80] },
  not_valid: { tones: [220, 180], vibration: [200, 100, 200] },
  cannot_tell: { tones: [440, 440], vibration: [100, 100, 100] },
};

let audio: AudioContext | null = null;

/** Browsers allow sound only after a touch: call it from one. */
export function allowSound(): void {
  audio ??= new AudioContext();
  void audio.resume();
}

/** Plays a verdict's tones and vibrates, where the device allows it. */
export function signal(verdict: Verdict['verdict']): void {
  const { tones, vibration } = signals[verdict];
  if ('vibrate' in navigator) navigator.vibrate(vibration);
  if (audio?.state !== 'running') return;
  for (const [index, frequency] of tones.entries()) {
    const oscillator = new OscillatorNode(audio, { frequency });
    const volume = new GainNode(audio, { gain: 0.2 });
    oscillator.connect(volume).connect(audio.destination);
    oscillator.start(audio.currentTime + index * 0.25);
    oscillator.stop(audio.currentTime + index * 0.25 + 0.18);
  }
}
