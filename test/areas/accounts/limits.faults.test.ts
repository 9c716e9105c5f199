import { callersOf } from '../../support/factories/callers.ts';
import { useRegistry } from '../../support/use-registry.ts';

/** Floods of logins at an API behind one proxy; each test has addresses of its own. */
const { api } = await useRegistry({ TRUST_PROXY: 'loopback', RATE_LIMIT_LOGINS_PER_15_MINUTES: '3' });
const callers = callersOf(api);

const wrong = 'not-the-password';
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));

test('a login is limited by the /48 of many IPv6 networks, but not at a known address', async () => {
  const holder = await callers.personAt('2001:db8:48:ffff::1');
  const statuses: number[] = [];
  for (let round = 0; round < 10; round += 1) {
    const networks = times(10, (index) => `2001:db8:48:${(10 * round + index).toString(16)}::1`);
    statuses.push(
      ...(await Promise.all(networks.map((network, index) => callers.logInAt(network, `wide${round}-${index}@example.kz`, wrong)))),
    );
  }
  expect(statuses.filter((status) => status === 401)).toHaveLength(90);
  expect(statuses.slice(90)).toEqual(times(10, () => 429));
  expect(await callers.logInAt('2001:db8:48:ffff::1', holder.email, holder.password)).toBe(200);
  expect(await callers.logInAt('2001:db8:49:1::1', 'admin@localhost', wrong)).toBe(401);
});

test('a login from a known address succeeds while hundreds of networks try', async () => {
  const holders = await Promise.all(times(4, (index) => callers.personAt(`203.0.113.${100 + index}`)));
  const attackers = await Promise.all([
    ...times(150, (index) => callers.browserAt(`2001:db8:${50 + (index % 3)}:${index}::1`)),
    ...times(150, (index) => callers.browserAt(`10.${index}.1.1`)),
  ]);
  let answered = 0;
  const flood = attackers.map(async (attacker, index) => {
    const { status } = await attacker.post('/auth/login', { email: `crowd${index}@example.kz`, password: wrong });
    answered += 1;
    return status;
  });
  const answers: number[] = [];
  for (let round = 0; round < 2; round += 1)
    for (const [index, { email, password }] of holders.entries())
      answers.push(
        (await callers.browserAt(`203.0.113.${100 + index}`).then((browser) => browser.post('/auth/login', { email, password }))).status,
      );
  expect(answers).toEqual(times(8, () => 200));
  expect(answered).toBeLessThan(attackers.length);
  expect(new Set(await Promise.all(flood))).toContain(401);
});

test('a login succeeds while other callers request more password checks than the service can do', async () => {
  const holder = await callers.personAt('203.0.113.28');
  const browser = await callers.browserAt('203.0.113.28');
  const attackers = await Promise.all(times(3, (index) => callers.browserAt(`198.51.100.${200 + index}`)));
  const flood = attackers.flatMap((attacker, index) =>
    times(25, (nth) => attacker.post('/auth/login', { email: `flood${index}-${nth}@example.kz`, password: wrong })),
  );
  expect((await browser.post('/auth/login', { email: holder.email, password: holder.password })).status).toBe(200);
  const answers = await Promise.all(flood);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]));
  const refused = answers.find(({ status }) => status === 429);
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
});
