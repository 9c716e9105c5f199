/**
 * Progress of a long step: `say` writes a permanent line, `tick` a line that the next one replaces. Without a terminal, ticks are written
 * every ten seconds.
 */
export type Progress = {
  say: (line: string) => void;
  tick: (line: string) => void;
};

export const silentProgress: Progress = { say: () => undefined, tick: () => undefined };

const tickIntervalMs = 10_000;

export function streamProgress(stream: NodeJS.WriteStream, now: () => number = Date.now): Progress {
  let hasTick = false;
  let lastTickAt = now();
  return {
    say: (line) => {
      stream.write(`${hasTick ? '\r\u001b[K' : ''}${line}\n`);
      hasTick = false;
    },
    tick: (line) => {
      if (stream.isTTY) {
        stream.write(`\r\u001b[K${line}`);
        hasTick = true;
      } else if (now() - lastTickAt >= tickIntervalMs) {
        stream.write(`${line}\n`);
        lastTickAt = now();
      }
    },
  };
}
