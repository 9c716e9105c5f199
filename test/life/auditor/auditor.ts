import type { TestClient } from '../../support/client.ts';
import type { World } from '../world.ts';
import type { Asked, Touched } from './area.ts';
import { compareRepeat, judgeRepeat, type Repeat } from './accounts/repeats.ts';
import { AuditReader } from './audit/audit.ts';
import { areas } from './areas.ts';
import { namedIn } from './accounts/public-names.ts';
import { askByClock, rememberDays } from './verification/verification.ts';
import { askInvoicesByClock } from './wallet/invoices.ts';
import { endOffers } from './registrations/places.ts';
import { walkOptions } from './registrations/walk-options.ts';
import { rememberFacts } from './registrations/eligibility.ts';
import { cookieIn, type Exchange } from './exchange.ts';
import { Finding } from './finding.ts';
import { Inquiry } from './inquiry.ts';
import { judge, type Judgement } from './judgement.ts';
import { Answers } from './http/answers.ts';
import { isOutsideFailure } from './outside-failures.ts';
import { serviceFrom } from './applications/catalog.ts';
import type { Account } from './accounts/account-records.ts';
import { dayOf } from './days.ts';
import { Model } from './model.ts';
import { walkQueue, walkSteps } from './next-steps.ts';
import { askRest } from './notifications/rest.ts';
import { walkCompetitions } from './competitions/walk-competitions.ts';

/**
 * A second mind that knows the rules and none of the code: it sees every request with its answer, keeps what must be so, and asks the
 * registry after each step. It throws the first `Finding`.
 */
export class Auditor {
  readonly model = new Model();
  readonly inquiry: Inquiry;
  /** What holds for each answer, also to the auditor's own questions. */
  readonly answers = new Answers();
  readonly #audit = new AuditReader(areas);
  readonly #world: World;
  #touched: Touched[] = [];
  #unasked: Exchange[] = [];
  #day: string;

  constructor(world: World) {
    this.#world = world;
    this.inquiry = new Inquiry(world, this.model);
    this.model.origin = world.registry.url;
    this.#day = dayOf(world.now);
  }

  /** Reads the catalogue, and the log of changes from here on. */
  async begin(): Promise<void> {
    const { services, base_indexes: indexes, disciplines } = (await this.inquiry.asAdministrator('GET /admin/catalog')).data;
    for (const row of services as Record<string, unknown>[]) this.model.services.set(Number(row['id']), serviceFrom(row));
    for (const { year, amount_minor: amount } of indexes) this.model.baseIndexes.set(year, amount);
    for (const { id, code } of disciplines) this.model.disciplineCodes.set(id, code);
    await this.answers.begin(this.inquiry);
    await this.model.changes.begin(this.inquiry);
    await this.#audit.begin(this.inquiry);
    this.inquiry.takeSent();
    this.#day = this.inquiry.today;
  }

  /** Notes an account and the browser in which its holder has just signed in. */
  knows(
    { userId: id, email, password, cookie }: Pick<TestClient, 'userId' | 'email' | 'password' | 'cookie'>,
    { role, isConfirmed, name }: Pick<Account, 'role' | 'isConfirmed'> & { name: string },
  ): void {
    const now = this.#world.now;
    const links = {
      'confirm-email': { sent: isConfirmed ? 0 : 1, sentAt: now, isClosed: isConfirmed },
      reset: { sent: 0, sentAt: now, isClosed: true },
    };
    if (role === 'administrator') this.model.onceAdministrators.add(id);
    this.model.accounts.set(id, { id, role, status: 'active', balance: 0, email, password, isConfirmed, links });
    for (const text of [email, name]) this.model.secrets.add(text, 'account', id);
    this.model.sessions.set(cookieIn(cookie ?? '') ?? '', { accountId: id, isOver: false, acting: null, waitsUntil: null });
  }

  /** What the rules say of a request, before it is sent. */
  judge(asked: Asked): Judgement {
    this.passDays();
    return judge(areas, this.model, asked, this.#world.now);
  }

  /** Notes a request and its answer. @throws {Finding} for an answer that no rule allows */
  saw(exchange: Exchange): void {
    this.#audit.answered(this.inquiry, exchange);
    if (exchange.status >= 500 && !isOutsideFailure(this.model, exchange))
      throw new Finding(`${exchange.operation} is answered`, 'an answer below 500', `${exchange.status} ${JSON.stringify(exchange.error)}`);
    this.#unasked.push(exchange);
    this.#see(exchange);
    this.#search(exchange);
  }

  /** What the rules say of a write that is sent again with its key. */
  judgeRepeat(first: Exchange, asked: Asked): Repeat {
    this.passDays();
    return { first, judgement: judgeRepeat(this.model, first, asked, this.#world.now) };
  }

  /** Notes the answer to a repeat, which changes nothing. @throws {Finding} for one that no rule allows */
  sawRepeat(repeat: Repeat, exchange: Exchange): void {
    compareRepeat(repeat, exchange);
    this.#search(exchange);
    this.#unasked.push(exchange);
  }

  #see(exchange: Exchange): void {
    if (exchange.status >= 300) {
      for (const area of areas) area.refused?.(this.model, exchange);
      return;
    }
    if (exchange.operation.startsWith('GET ')) {
      for (const area of areas) area.read?.(this.model, exchange);
      return;
    }
    for (const area of areas) this.#touched.push(...(area.saw?.(this.model, exchange) ?? []));
    this.model.secrets.wrote(this.model, exchange);
  }

  /** @throws {Finding} for what another account wrote, or what was written of them */
  #search({ operation, params, query, by, status, headers, bytes }: Exchange): void {
    if (!/json|text/.test(headers.get('content-type') ?? '') || operation === 'GET /openapi.json') return;
    // Administrators are notified of records of others (AGR-17), and keep what they were told.
    if (operation.includes(' /notifications') && this.model.onceAdministrators.has(by.accountId)) return;
    const shown = this.model.secrets.foreignIn(this.model, by, bytes.toString(), namedIn(this.model, operation, params));
    if (shown.length === 0) return;
    const question = `${operation} ${JSON.stringify(params)} ${query}, answered with ${status}, shows ${by.name} nothing of another account`;
    throw new Finding(`${question} (ACC-8, API-3, MSG-2, EVT-17)`, [], shown);
  }

  /** Asks about what the last step touched, after the days that came with it. @throws {Finding} */
  async askAfterStep(): Promise<void> {
    this.passDays();
    const touched = [...new Map(this.#touched.map((one) => [`${one.kind}/${one.id}`, one])).values()];
    const exchanges = this.#unasked;
    this.#touched = [];
    this.#unasked = [];
    this.inquiry.forget();
    await allOf(areas.map(async (area) => area.ask?.(this.inquiry, touched)));
    await this.answers.ask(this.inquiry);
    this.#audit.retry(this.inquiry);
    await this.#audit.ask(this.inquiry, exchanges, this.inquiry.takeSent());
    this.#touched.push(...this.model.suspects.splice(0));
  }

  /** While a part is away, reads and public verification answer (API-10). @throws {Finding} */
  async askDuringOutage(): Promise<void> {
    this.inquiry.forget();
    const { model, publicly, asAdministrator, same } = this.inquiry;
    for (const { certificate } of model.applications.values()) {
      if (!certificate || certificate.token === '') continue;
      const { status } = await publicly('GET /verify/{token}', { params: { token: certificate.token } });
      same('public verification answers during an outage (API-10)', 200, status);
    }
    await asAdministrator('GET /admin/queue', { query: '?limit=20' });
  }

  /** When the clock has moved and no process has: what is read follows the clock. @throws {Finding} */
  async askByClock(): Promise<void> {
    this.inquiry.forget();
    await askByClock(this.inquiry, this.#day);
    await askInvoicesByClock(this.inquiry);
  }

  /** Offers of places that the clock ended. */
  endOffers(): void {
    this.#touched.push(...endOffers(this.model, this.#world.now));
  }

  /** Follows the calendar up to today. */
  passDays(): void {
    const { today } = this.inquiry;
    if (today === this.#day) return;
    rememberDays(this.model, this.#day, today);
    rememberFacts(this.model, this.#day, today);
    this.#day = today;
    for (const area of areas) this.#touched.push(...(area.dayCame?.(this.model, today) ?? []));
  }

  /** Asks about everything, an hour after the last step; then takes every step that the registry names. @throws {Finding} */
  async askAtTheEnd(): Promise<void> {
    await this.#world.travelTo(new Date(this.#world.now.getTime() + 3_600_000).toISOString());
    this.#touched.push(...this.model.everything());
    await this.askAfterStep();
    this.inquiry.forget();
    for (const area of areas) await area.askAll?.(this.inquiry);
    await this.askAfterStep();
    this.#audit.askAtTheEnd(this.inquiry);
    await askRest(this.inquiry, () => this.#world.sweep());
    await walkOptions(this.#world, this.inquiry);
    await walkSteps(this.#world, this.inquiry);
    await walkCompetitions(this.#world, this.inquiry);
    await walkQueue(this.#world, this.inquiry);
  }
}

/** Waits for all, so that no question outlives its step. @throws the first failure */
async function allOf(questions: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(questions)).find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
}
