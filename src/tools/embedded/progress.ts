/**
 * How a long step tells the person at the terminal where it is: `say` writes a line that stays, `tick` one that the next line replaces on a
 * terminal; elsewhere a tick is written only every ten seconds, so that a log does not fill with them.
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
