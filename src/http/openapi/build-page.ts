import { baseUrl, type Variables } from '../../registry/config.ts';
import { errorCatalogue } from '../../errors.ts';
import { processedCommandLifetimeDays } from '../../platform/expired-rows.ts';
import { addressFactor } from '../access/rate-limit.ts';
import { scopes } from '../access/scopes.ts';
import { replayHeader } from '../answer-once.ts';
import { apiPrefix } from '../api-prefix.ts';
import { maxJsonBytes } from '../request/parse-body.ts';
import { maxUploadBytes } from '../request/read-upload.ts';
import { escapeHtml, type Page } from '../response/page.ts';
import { commands, renderGuide, type Section, startPagePath, text, yearOfExpiry } from './guide.ts';

/** Numbers of the areas that the page names. */
export interface BuildFacts {
  /** Valid keys of one account. */
  apiKeys: number;
  changeDays: number;
  /** Days of the request log. */
  requestDays: number;
  webhooks: {
    /** Of one account. */
    limit: number;
    /** Time for an answer, milliseconds. */
    timeoutMs: number;
    /** Pauses after each failed try, milliseconds. */
    pausesMs: readonly number[];
    /** Time for which the former secret signs too, milliseconds. */
    overlapMs: number;
    deliveryDays: number;
    /** Days without a delivery after which a failing webhook is disabled. */
    failingDays: number;
    /** Most tests, and most replays, of a webhook. */
    interventionsPerHour: number;
  };
}

/** Renders the page for programmers: keys, idempotency, changes, webhooks, errors and limits, with commands to try. */
export function renderBuildPage(config: Variables, facts: BuildFacts): Page {
  const sections = [
    keySection(config, facts),
    idempotencySection(),
    changesSection(facts),
    webhooksSection(config, facts),
    errorsSection(facts),
    limitsSection(config, facts),
  ];
  return renderGuide(
    'Build on it',
    `How a program uses the registry. The [reference](/docs) has every route. \`npx openapi-typescript ${baseUrl(config)}${apiPrefix}/openapi.json -o types.ts\` makes types of them in a folder of your own.`,
    sections,
  );
}

function keySection(config: Variables, { apiKeys }: BuildFacts): Section {
  const wanted = scopes.filter((scope) => /^(profiles|changes|webhooks):/.test(scope));
  return {
    id: 'keys',
    title: 'Keys',
    content: [
      text(`An account is made by the first two steps of [From registration to certificate](${startPagePath}).`),
      text(
        `A program acts for an account with an API key of it: \`Authorization: Bearer fsk_…\`. The owner creates the key in a browser session: \`POST /api-keys\`. An account has at most ${apiKeys} valid keys.`,
      ),
      text(`A key has scopes of its account: ${scopes.map((scope) => `\`${scope}\``).join(', ')}.`),
      text(
        'The commands of this page need curl 7.82 or newer and jq. Set `EMAIL` and `PASSWORD` of your account first. With a second factor, send its code to `POST /auth/second-factor` after the login, and a new one as `code` with the password.',
      ),
      commands(`BASE_URL=${baseUrl(config)}
CSRF=$(curl -s -c jar "$BASE_URL/api/v1/session" | jq -r .data.csrf_token)
CSRF=$(curl -s -b jar -c jar -H "X-CSRF-Token: $CSRF" "$BASE_URL/api/v1/auth/login" \\
  --json '{"email":"'"$EMAIL"'","password":"'"$PASSWORD"'"}' | jq -r .data.csrf_token)
KEY=$(curl -s -b jar -H "X-CSRF-Token: $CSRF" "$BASE_URL/api/v1/api-keys" \\
  --json '{"name":"My program","scopes":${JSON.stringify(wanted)},
  "expires_at":"${yearOfExpiry()}-12-31","password":"'"$PASSWORD"'"}' | jq -r .data.key)`),
      text('`KEY` is shown once. Use it:'),
      commands(`curl -H "Authorization: Bearer $KEY" "$BASE_URL/api/v1/account"`),
      text(
        'A key cannot manage keys. `DELETE /api-keys/{id}` revokes one at once; a new password revokes all, unless its owner keeps them. A missing scope answers 403 `insufficient_scope`.',
      ),
    ],
  };
}

function idempotencySection(): Section {
  return {
    id: 'idempotency',
    title: 'Idempotency',
    content: [
      text(
        `Send an \`Idempotency-Key\` with every write, a new one for each intended effect. After a lost connection, repeat the request with the same key: it takes effect once, and the repeat gets the first answer with \`${replayHeader}: true\`. Keys are valid for ${processedCommandLifetimeDays} days, and only with the API key that sent them.`,
      ),
      commands(`curl -i -H "Authorization: Bearer $KEY" -H 'Idempotency-Key: anna-1' "$BASE_URL/api/v1/profiles" \\
  --json '{"kind":"athlete","data":{"last_name":"Ivanova","first_name":"Anna",
  "birth_date":"2001-05-17","gender":"female","citizenship":"KZ"}}'`),
      text(
        'A refusal (4xx) releases the key. Another request with the same key answers 409 `idempotency_key_conflict`; a repeat while the first request runs answers 409 `request_in_progress` with `Retry-After`.',
      ),
    ],
  };
}

function changesSection({ changeDays }: BuildFacts): Section {
  return {
    id: 'changes',
    title: 'Changes',
    content: [
      text(
        'Follow the registry with `GET /changes` instead of reading lists again. A change is a CloudEvent with type, record, status and address; read the record for the rest. The first request has no changes and begins now:',
      ),
      commands(`NEXT=$(curl -s -H "Authorization: Bearer $KEY" "$BASE_URL/api/v1/changes" | jq -r .meta.next)`),
      text(
        'Continue with `after`. Store `meta.next` after you have processed the page. `types` filters: types, `registry.<record>.*` or `*`, separated by commas.',
      ),
      commands(`curl -H "Authorization: Bearer $KEY" "$BASE_URL/api/v1/changes?after=$NEXT&types=registry.profile.*"`),
      text(
        `Read on at once while the page is full. No change is left out or out of order; the first page may repeat changes of the last moments. Changes and cursors are kept for ${changeDays} days; an older cursor answers 410 \`cursor_expired\`: read the records again and start without \`after\`.`,
      ),
    ],
  };
}

function webhooksSection(
  config: Variables,
  { changeDays, webhooks: { limit, timeoutMs, pausesMs, overlapMs, deliveryDays, failingDays } }: BuildFacts,
): Section {
  const isProduction = config.NODE_ENV === 'production';
  const receiver = isProduction ? 'https://example.com/hooks' : `http://localhost:${config.WEBHOOK_RECEIVER_PORT}/hooks/mine`;
  return {
    id: 'webhooks',
    title: 'Webhooks',
    content: [
      text(
        `\`POST /webhooks\` with \`url\`, \`types\` and an optional \`description\` sends your receiver each next change. The answer has the \`secret\`, which is shown once. An account has at most ${limit} webhooks. A webhook ends with the key that creates it, and with a new password of the owner: \`disabled_reason\` tells. In production the address is https.`,
      ),
      ...(isProduction
        ? []
        : [text(`\`npm start\` runs [a receiver](http://localhost:${config.WEBHOOK_RECEIVER_PORT}) that shows what arrives.`)]),
      commands(`curl -s -o webhook -H "Authorization: Bearer $KEY" "$BASE_URL/api/v1/webhooks" \\
  --json '{"url":"${receiver}","types":["registry.profile.*"]}'
WEBHOOK=$(jq -r .data.id webhook); SECRET=$(jq -r .data.secret webhook)
curl -X POST -H "Authorization: Bearer $KEY" "$BASE_URL/api/v1/webhooks/$WEBHOOK/test"
curl -H "Authorization: Bearer $KEY" "$BASE_URL/api/v1/webhooks/$WEBHOOK/deliveries?state=delivered"`),
      text(
        'Deliveries follow Standard Webhooks 1.0. The body is the change, a CloudEvent (`application/cloudevents+json`). `webhook-id` is its id, `webhook-timestamp` the time of this try in seconds, and `webhook-signature` one or more of `v1,<signature>`, separated by spaces. A signature is the base64 of HMAC-SHA256 over `<id>.<timestamp>.<body>`; its key is the base64 after `whsec_`. Accept a delivery when one signature is right and the timestamp is at most five minutes away. Compute over the bytes of the body, before you parse it.',
      ),
      text(
        `Answer 2xx within ${durationOf(timeoutMs)}. Otherwise the registry tries again after ${pausesMs.map(durationOf).join(', ')}, each with some chance, and not before the time of \`Retry-After\` of a 429 or 503. A record whose changes fail waits by itself; \`GET /webhooks/{id}\` shows it. A change that failed ten times is given up. When nothing was delivered for ${failingDays} days, the webhook is disabled; 410 disables it at once. \`PATCH /webhooks/{id}\` with \`enabled\` enables it again.`,
      ),
      text(
        'Changes of one record arrive in order, those of different records may overlap. A change may arrive twice with the same `webhook-id`: ignore ids that you have processed.',
      ),
      text(
        `\`POST /webhooks/{id}/secret\` replaces the secret; the former one signs too for ${durationOf(overlapMs)}. \`POST /webhooks/{id}/replay\` with \`after\`, a \`next\` of \`GET /changes\`, sends the changes of up to ${changeDays} days again with the same ids. \`GET /webhooks/{id}/deliveries\` lists deliveries of ${deliveryDays} days; \`state\` is \`waiting\`, \`delivered\` or \`failed\`.`,
      ),
      commands(`curl -X POST -H "Authorization: Bearer $KEY" "$BASE_URL/api/v1/webhooks/$WEBHOOK/secret"
curl -H "Authorization: Bearer $KEY" "$BASE_URL/api/v1/webhooks/$WEBHOOK/replay" \\
  --json '{"after":"'"$NEXT"'"}'`),
    ],
  };
}

function errorsSection({ requestDays }: BuildFacts): Section {
  const { status, message } = errorCatalogue.not_found;
  const example = { error: { code: 'not_found', message }, request_id: '3f0c6f0e-8f0b-4f6e-9d0e-6d2f1c1b7a55' };
  return {
    id: 'errors',
    title: 'Errors',
    content: [
      text(
        'Decide by `code`, which is permanent; `message` is for people. `details` has facts, such as the wrong fields of `validation_failed`. Retry 429 and 503 after `Retry-After` seconds, and a lost connection or 5xx with the same `Idempotency-Key`.',
      ),
      commands(`curl -i -H "Authorization: Bearer $KEY" "$BASE_URL/api/v1/profiles/999999"`),
      `<pre><code>HTTP/1.1 ${status}\n\n${escapeHtml(JSON.stringify(example, null, 2))}</code></pre>`,
      text('Name `request_id` when you ask for help. You may choose it: send `X-Request-Id` with 8 to 64 letters, digits, `_` or `-`.'),
      text(
        `\`GET /api-keys/{id}/requests\` lists the requests of a key in the last ${requestDays} days, without values and bodies. It needs the owner's browser session:`,
      ),
      commands(`KEY_ID=$(curl -s -b jar "$BASE_URL/api/v1/api-keys" | jq -r .data[0].id)
curl -b jar "$BASE_URL/api/v1/api-keys/$KEY_ID/requests?status=${status}"`),
    ],
  };
}

function limitsSection(config: Variables, { apiKeys, webhooks }: BuildFacts): Section {
  const { RATE_LIMIT_KEY_PER_MINUTE: perKey, RATE_LIMIT_PUBLIC_PER_MINUTE: perVisitor } = config;
  const rows: [string, string][] = [
    ['Requests of one key', `${perKey} a minute`],
    ['Requests of all keys from one IP address', `${perKey * addressFactor} a minute`],
    ['Requests to public routes from one IP address', `${perVisitor} a minute`],
    ['Uploads of one account', `${config.RATE_LIMIT_UPLOADS_PER_HOUR} an hour`],
    ['Exports of one account', `${config.RATE_LIMIT_EXPORTS_PER_HOUR} an hour`],
    ['JSON body', `${maxJsonBytes / 1024} KB`],
    ['Uploaded file', `${maxUploadBytes / 1024 ** 2} MB`],
    ['Valid keys of one account', String(apiKeys)],
    ['Webhooks of one account', String(webhooks.limit)],
    ['Tests of one webhook, and replays', `${webhooks.interventionsPerHour} an hour each`],
  ];
  return {
    id: 'limits',
    title: 'Limits',
    content: [
      `<div class="table"><table>${rows.map(([what, most]) => `<tr><th>${escapeHtml(what)}</th><td>${escapeHtml(most)}</td></tr>`).join('')}</table></div>`,
      text(
        'Each answer names the limit that you reach first: `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset` in seconds. Above it: 429 `rate_limited` with `Retry-After`.',
      ),
      commands(`curl -s -o /dev/null -D - -H "Authorization: Bearer $KEY" "$BASE_URL/api/v1/account" | grep -i ratelimit`),
    ],
  };
}

const units = [
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const;

function durationOf(ms: number): string {
  const [unit, length] = units.find(([, unitMs]) => ms % unitMs === 0) ?? ['ms', 1];
  return `${ms / length} ${unit}`;
}
