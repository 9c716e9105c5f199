import { apiPrefix } from '../../src/http/api-prefix.ts';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { startRegistry } from './admin-lists.ts';
import { heldMb } from './support/held-memory.ts';
import { median } from './support/measure.ts';
import { peakMb, resetPeak, residentMb } from './support/process-memory.ts';
import { ratio, say, type Verdict } from './support/report.ts';

const goal = 1.1;

/** How often a reading asks what the API holds. */
const looks = 10;

/**
 * What the API holds while the CSV of so many athletes is read, against that of a tenth of them (those of one status): the most of ten
 * looks in the course of each, after all garbage is collected. By turns, after each has had its turn once. The peak of its resident memory
 * is told beside it and says something else: how long V8 puts off collecting. A reading that takes ten times as long goes higher in that,
 * up to where the heap is collected anyway, and keeps nothing of it.
 */
export async function benchAthletesCsv(stack: Stack, rounds: number, athletes: number): Promise<Verdict[]> {
  const { api, client } = await startRegistry(stack, 'bench_athletes_csv', athletes);
  try {
    const read = async (query: string, each: (rows: number) => Promise<void>) => {
      const response = await fetch(`${client.baseUrl}${apiPrefix}/admin/export?kind=athletes${query}`, {
        headers: { cookie: client.cookie ?? '' },
      });
      if (response.status !== 200 || response.body === null) throw new Error(`the export was answered with ${response.status}`);
      let [bytes, lines] = [0, 0];
      for await (const piece of response.body) {
        bytes += piece.length;
        for (const byte of piece) if (byte === 10) lines += 1;
        await each(lines - 1);
      }
      return { bytes, rows: lines - 1 };
    };
    const measure = async (query: string, expected: number) => {
      if (!resetPeak(api.pid)) say('  the peak counts from the start of the process');
      const startedAt = performance.now();
      const { bytes, rows } = await read(query, async () => undefined);
      const [peak, millis] = [peakMb(api.pid), performance.now() - startedAt];
      let [held, looked] = [0, 0];
      await read(query, async (reached) => {
        if (looked > 0 && reached < (looked * expected) / looks) return;
        looked += 1;
        held = Math.max(held, await heldMb(api));
      });
      return { peak, millis, held, looked, megabytes: bytes / 1024 / 1024, rows };
    };
    say(`  at rest: ${residentMb(api.pid)} MB resident, ${(await heldMb(api)).toFixed(1)} MB held`);
    const few = () => measure('&status=cancelled', athletes / 10);
    const many = () => measure('', athletes);
    const measured = { few: [await few()].slice(1), many: [await many()].slice(1) };
    for (let round = 0; round < rounds; round += 1) {
      measured.few.push(await few());
      measured.many.push(await many());
    }
    const most: Record<string, number> = {};
    for (const [name, all] of Object.entries(measured)) {
      const of = (figure: 'held' | 'peak' | 'millis') => median(all.map((one) => one[figure]));
      most[name] = of('held');
      say(
        `  ${all[0]?.rows} athletes: ${of('held').toFixed(1)} MB held at the most of ${all[0]?.looked} looks, peak ${of('peak')} MB resident, ` +
          `${of('millis').toFixed(0)} ms, a file of ${all[0]?.megabytes.toFixed(1)} MB`,
      );
    }
    const growth = (most['many'] ?? Number.NaN) / (most['few'] ?? Number.NaN);
    return [
      {
        what: `API memory held while the CSV of ${measured.many[0]?.rows} athletes is read, against ${measured.few[0]?.rows}`,
        goal: `<= ${ratio(goal)}`,
        measured: `${ratio(growth)} (${most['many']?.toFixed(1)} MB against ${most['few']?.toFixed(1)} MB)`,
        isMet: growth <= goal,
      },
    ];
  } finally {
    await api.stop();
  }
}
