import type { Stack } from '../../src/embedded/stack.ts';
import { apiPrefix } from '../../src/http/api-prefix.ts';
import { startRegistry } from './admin-lists.ts';
import { median } from './measure.ts';
import { peakMb, resetPeak, residentMb } from './process-memory.ts';
import { ratio, say } from './report.ts';
import type { Verdict } from './report.ts';

const goal = 1.1;

/**
 * The API's peak memory while the CSV of so many athletes is read, against that of a tenth of them (those of one status). By turns, after
 * each has had its turn once. Linux only.
 */
export async function benchAthletesCsv(stack: Stack, rounds: number, athletes: number): Promise<Verdict[]> {
  const { api, client } = await startRegistry(stack, 'bench_athletes_csv', athletes);
  try {
    const read = async (query: string) => {
      const response = await fetch(`${client.baseUrl}${apiPrefix}/admin/export?kind=athletes${query}`, {
        headers: { cookie: client.cookie ?? '' },
      });
      if (response.status !== 200 || response.body === null) throw new Error(`the export was answered with ${response.status}`);
      let [bytes, lines] = [0, 0];
      for await (const piece of response.body) {
        bytes += piece.length;
        for (const byte of piece) if (byte === 10) lines += 1;
      }
      return { bytes, rows: lines - 1 };
    };
    const measure = async (query: string) => {
      if (!resetPeak(api.pid)) say('  the peak counts from the start of the process');
      const startedAt = performance.now();
      const { bytes, rows } = await read(query);
      return { peak: peakMb(api.pid), millis: performance.now() - startedAt, megabytes: bytes / 1024 / 1024, rows };
    };
    say(`  at rest: ${residentMb(api.pid)} MB`);
    const measured = { few: [await measure('&status=cancelled')].slice(1), many: [await measure('')].slice(1) };
    for (let round = 0; round < rounds; round += 1) {
      measured.few.push(await measure('&status=cancelled'));
      measured.many.push(await measure(''));
    }
    const peaks: Record<string, number> = {};
    for (const [name, all] of Object.entries(measured)) {
      peaks[name] = median(all.map(({ peak }) => peak));
      const millis = median(all.map((one) => one.millis)).toFixed(0);
      say(`  ${all[0]?.rows} athletes: peak ${peaks[name]} MB, ${millis} ms, a file of ${all[0]?.megabytes.toFixed(1)} MB`);
    }
    const growth = (peaks['many'] ?? Number.NaN) / (peaks['few'] ?? Number.NaN);
    return [
      {
        what: `API memory while the CSV of ${measured.many[0]?.rows} athletes is read, against ${measured.few[0]?.rows}`,
        goal: `<= ${ratio(goal)}`,
        measured: `${ratio(growth)} (${peaks['many']} MB against ${peaks['few']} MB)`,
        isMet: growth <= goal,
      },
    ];
  } finally {
    await api.stop();
  }
}
