import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import type { Stack } from '../../src/embedded/stack.ts';
import { startBenchStack } from './bench-stack.ts';
import { benchCommand } from './command.ts';
import { benchLifecycle } from './lifecycle.ts';
import { benchMemory } from './memory.ts';
import { printTable, say } from './report.ts';
import type { Verdict } from './report.ts';
import { benchTableSize, benchVerification } from './verification.ts';

/**
 * `npm run bench [-- --rounds 5 --only verify,command --certificates 1000000]`: figures of this machine beside figures of a twin in
 * the same run, so that the ratios say something anywhere. Interleaved rounds, medians. Ends with 0 unless it could not measure.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    only: { type: 'string' },
    certificates: { type: 'string', default: '1000000' },
  },
});
const rounds = Number(values.rounds);
const benches: Record<string, { title: string; run: (stack: Stack) => Promise<Verdict[]> }> = {
  verify: { title: 'Verification against a bare server', run: (stack) => benchVerification(stack, rounds) },
  command: { title: 'A command against its no-op twin', run: (stack) => benchCommand(stack, rounds) },
  lifecycle: { title: 'Whole lifecycles against their no-op twin', run: (stack) => benchLifecycle(stack, rounds) },
  memory: { title: 'Memory of the API under large files', run: benchMemory },
  size: { title: 'Verification in a large table', run: (stack) => benchTableSize(stack, rounds, Number(values.certificates)) },
};
const wanted = values.only?.split(',') ?? Object.keys(benches);
const unknown = wanted.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  process.stderr.write(`there is no benchmark ${unknown.join(', ')}; known: ${Object.keys(benches).join(', ')}\n`);
  process.exit(2);
}

say(`${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}; ${rounds} rounds each, interleaved, medians`);
const verdicts: Verdict[] = [];
for (const name of wanted) {
  const bench = benches[name];
  if (!bench) continue;
  say(`\n${bench.title}`);
  // Each begins with a stack of its own: what one leaves behind must not slow the next.
  const stack = await startBenchStack();
  try {
    verdicts.push(...(await bench.run(stack)));
  } catch (error) {
    say(`  could not be measured: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    process.exitCode = 1;
  } finally {
    await stack.stop();
  }
}
printTable(verdicts);
