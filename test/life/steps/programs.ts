import { TestClient } from '../../support/client.ts';
import type { Random } from '../../support/random.ts';
import { isInForce } from '../auditor/accounts/keys.ts';
import { allScopes } from '../auditor/accounts/scopes.ts';
import type { Person, Program, World } from '../world.ts';
import { anyone } from './athletes.ts';
import { oneOf, type Step, weighted } from './step.ts';

const mostPrograms = 12;

/** Programs: they act for an account by a key, within its scopes and beyond. */
export const programSteps: readonly Step[] = [
  {
    name: 'an account makes a key',
    weight: 5,
    async take(world, random) {
      const owner = holder(world, random);
      if (owner && programsInForce(world).length < mostPrograms) await makeProgram(world, owner, scopes(random), random);
    },
  },
  {
    name: 'an account revokes a key',
    weight: 0.7,
    async take(world, random) {
      const program = oneOf(random, world.programs);
      if (!program) return;
      const owner = random.next() < 0.85 ? world.auditor.inquiry.personOf(program.accountId) : anyone(world, random);
      if (!owner) return;
      const password = random.next() < 0.85 ? owner.client.password : 'not-the-password-of-anyone';
      await world.call(owner, 'DELETE /api-keys/{id}', { params: { id: program.keyId }, body: { password } });
    },
  },
  onProgram('a program reads', 6, async (world, program, random) => {
    const { model } = world.auditor;
    const [operation, ids] = random.pick([
      ['GET /profiles/{id}', model.profiles.keys()],
      ['GET /documents/{id}', model.documents.keys()],
      ['GET /applications/{id}', model.applications.keys()],
      ['GET /invoices/{id}', model.invoices.keys()],
      ['GET /admin/records/document/{id}', model.documents.keys()],
    ]);
    const id = oneOf(random, ids);
    if (id !== undefined) await world.call(program, operation, { params: { id } });
  }),
  onProgram('a program reads a list', 3, async (world, program, random) => {
    const operation = random.pick(['GET /profiles', 'GET /applications', 'GET /wallet', 'GET /files', 'GET /webhooks', 'GET /admin/queue']);
    await world.call(program, operation);
  }),
  onProgram('a program writes', 4, async (world, program, random) => {
    const { model } = world.auditor;
    const [profile, application, document] = [
      oneOf(random, model.profiles.keys()),
      oneOf(random, model.applications.keys()),
      oneOf(random, model.documents.keys()),
    ];
    const [operation, id, body] = random.pick<[string, number | undefined, unknown]>([
      ['PATCH /profiles/{id}', profile, { data: { city: `Тараз ${random.between(1, 99)}` } }],
      ['POST /profiles/{id}/submit', profile, undefined],
      ['POST /applications/{id}/submit', application, undefined],
      ['POST /applications/{id}/pay', application, undefined],
      ['POST /applications/{id}/cancel', application, { reason: 'A program has cancelled it.' }],
      ['POST /invoices', 0, { amount: `${random.between(100, 9000)}.00` }],
      ['POST /admin/review', document, { kind: 'document', id: document, decision: 'approve' }],
      ['POST /api-keys', 0, { name: 'another', scopes: ['profiles:read'], expires_at: in300Days(world) }],
    ]);
    if (id === undefined) return;
    await world.call(program, operation, { params: operation.includes('{id}') ? { id } : {}, ...(body === undefined ? {} : { body }) });
  }),
  onProgram('a program reads on in the changes', 6, readOn),
];

/** Reads all that changed since the last time; the first time it only begins. */
async function readOn(world: World, program: Program): Promise<void> {
  for (;;) {
    const query = program.cursor === null ? '' : `?after=${encodeURIComponent(program.cursor)}&limit=40`;
    const { status, data, meta, error } = await world.call(program, 'GET /changes', { query });
    if (error?.code === 'cursor_expired') program.cursor = null;
    if (status !== 200) return;
    program.cursor = meta.next;
    if (data.length < 40) return;
  }
}

/** A person or, more rarely, an administrator. */
export function holder(world: World, random: Random): Person | undefined {
  return random.next() < 0.35 ? oneOf(random, world.administrators) : anyone(world, random);
}

/** A program in force, mostly. */
export function anyProgram(world: World, random: Random): Program | undefined {
  return oneOf(random, random.next() < 0.93 ? programsInForce(world) : world.programs);
}

function programsInForce({ programs, now, auditor: { model } }: World): Program[] {
  return programs.filter(({ client }) => {
    const key = model.keys.get(client.key ?? '');
    return key !== undefined && isInForce(model, key, now);
  });
}

function onProgram(name: string, weight: number, take: (world: World, program: Program, random: Random) => Promise<unknown>): Step {
  return {
    name,
    weight,
    async take(world, random) {
      const program = anyProgram(world, random);
      if (program) await take(world, program, random);
    },
  };
}

/** All, those of a follower, or some; some of them are too many for an ordinary account. */
function scopes(random: Random): string[] {
  const ordinary = allScopes.filter((scope) => !scope.startsWith('admin:'));
  return weighted(random, [
    [ordinary, 3],
    [['changes:read', 'webhooks:write', 'profiles:read'], 3],
    [[...allScopes], 1.5],
    [random.shuffled(ordinary).slice(0, random.between(1, 5)), 3],
  ]);
}

export async function makeProgram(world: World, owner: Person, wanted: readonly string[], random: Random): Promise<Program | null> {
  const days = weighted(random, [
    [300, 8],
    [2, 2],
    [40, 2],
    [-1, 0.3],
    [2000, 0.3],
  ]);
  const body = {
    name: `Program ${world.programs.length + 1}`,
    scopes: wanted,
    expires_at: new Date(world.now.getTime() + days * 86_400_000).toISOString(),
    password: owner.client.password,
  };
  const made = await world.call(owner, 'POST /api-keys', { body });
  if (made.status !== 201) return null;
  const program = {
    name: `program ${made.data.id} of ${owner.name}`,
    client: new TestClient(world.registry.url, made.data.key),
    accountId: owner.accountId,
    administratorId: null,
    scopes: wanted,
    keyId: made.data.id,
    cursor: null,
  };
  world.programs.push(program);
  return program;
}

export function in300Days(world: World): string {
  return new Date(world.now.getTime() + 300 * 86_400_000).toISOString();
}
