import { baseUrl, type Variables } from '../../registry/config.ts';
import type { Page } from '../response/page.ts';
import { buildPagePath, commands, program, renderGuide, type Section, text, yearOfExpiry } from './guide.ts';

/** Scopes of the keys that the program of the page uses. */
const scopesOfOwner = ['files:write', 'profiles:write', 'applications:read', 'applications:write', 'wallet:write'];

/** A portrait of 240 x 320 pixels, PNG in base64. */
const portrait =
  'iVBORw0KGgoAAAANSUhEUgAAAPAAAAFAAQMAAAC4JmMQAAAABlBMVEVERGbd3e505XWtAAAACXBIWXMAAAsTAAALEwEAmpwYAAAAQUlEQVRo3u3XsQ0AIAwEsd9/6dBRISqkRMLXeoJLXQvGGGOMMR7D2WGMMcYYY4y72bZ8wzmEMcYYY4wxxhjjV7wAE+GpmoYQnMsAAAAASUVORK5CYII=';

/** Renders the page that walks through the main job with commands to try: by curl, then by a program with the client. */
export function renderStartPage(config: Variables): Page {
  return renderGuide(
    'From registration to certificate',
    `The main job of the registry, request by request. The [reference](/docs) has every route, and [Build on it](${buildPagePath}) what a program must know.`,
    [
      beginningSection(config),
      registrationSection(config),
      profileSection(),
      reviewSection(),
      applicationSection(),
      paymentSection(config),
      certificateSection(),
      clientSection(config),
    ],
  );
}

function beginningSection(config: Variables): Section {
  return {
    id: 'beginning',
    title: 'Before',
    content: [
      text(
        `Run the commands in one bash, in this order, with curl 7.82 or newer and jq. ${config.NODE_ENV === 'production' ? '' : '`npm start` runs a registry with a bank that takes no money. '}Set \`ADMIN_EMAIL\` and \`ADMIN_PASSWORD\` first: \`npm run status\` shows them.`,
      ),
      commands(`API=${baseUrl(config)}/api/v1
# Each person has a browser session: the cookies in a file, and the CSRF token that a change sends.
csrf() { curl -sS -b "$1.cookies" -c "$1.cookies" "$API/session" | jq -r .data.csrf_token; }
# send WHO PATH [OPTIONS OF CURL]. It waits and repeats while a part of the registry is busy (429, 503).
send() {
  local who=$1 path=$2; shift 2
  curl -sS --fail-with-body --retry 5 -b "$who.cookies" -c "$who.cookies" -H "X-CSRF-Token: $(csrf "$who")" "$API$path" "$@"
}`),
    ],
  };
}

function registrationSection({ NODE_ENV: environment }: Variables): Section {
  const readOrSet =
    environment === 'production' ? '' : ' Set `ANSWER` to the one of `npm run status`, which every captcha of a sandbox takes.';
  return {
    id: 'registration',
    title: 'Registration',
    content: [
      text(`A captcha comes first: a person reads its picture. Its answer is valid for one form of the same session.${readOrSet}`),
      commands(`send person '/captcha?purpose=register' -o captcha
jq -r .data.image captcha | cut -d, -f2 | base64 -d > captcha.png
[ "\${ANSWER-}" ] || read -rp 'The five characters of captcha.png: ' ANSWER`),
      text('`POST /auth/register` makes the account and signs it in.'),
      commands(`EMAIL="person-$(date +%s)-$RANDOM@example.kz"
PASSWORD=$(head -c 15 /dev/urandom | base64)
send person /auth/register --json @- <<END
{"email": "$EMAIL", "password": "$PASSWORD", "name": "Anna Ivanova",
 "captcha_id": $(jq .data.captcha_id captcha), "captcha_answer": "$ANSWER"}
END`),
    ],
  };
}

function profileSection(): Section {
  return {
    id: 'profile',
    title: 'Profile and documents',
    content: [
      text('An account has profiles of athletes and organizers. An athlete needs a photo.'),
      commands(`base64 -d > portrait.png <<< ${portrait}
PHOTO=$(send person /files -F purpose=photo -F file=@portrait.png | jq .data.id)
PROFILE=$(send person /profiles --json @- <<END | jq .data.id
{"kind": "athlete", "photo_id": $PHOTO, "data": {"last_name": "Ivanova", "first_name": "Anna",
 "birth_date": "2001-05-17", "gender": "female", "citizenship": "KZ"}}
END
)`),
      text(
        '`GET /catalog` lists the documents that a service requires: here an identity card and a medical certificate. A scan is a picture or a PDF.',
      ),
      commands(`SCAN=$(send person /files -F purpose=identity -F file=@portrait.png | jq .data.id)
IDENTITY=$(send person /documents --json @- <<END | jq .data.id
{"profile_id": $PROFILE, "type": "identity", "file_id": $SCAN, "country": "KZ", "number": "047512903",
 "issued_at": "2020-03-01", "expires_at": "${yearOfExpiry()}-12-31"}
END
)
SCAN=$(send person /files -F purpose=medical -F file=@portrait.png | jq .data.id)
MEDICAL=$(send person /documents --json @- <<END | jq .data.id
{"profile_id": $PROFILE, "type": "medical", "file_id": $SCAN, "country": "KZ", "number": "M-3047",
 "expires_at": "${yearOfExpiry()}-12-31"}
END
)
send person "/profiles/$PROFILE/submit" -X POST | jq -r .data.status`),
    ],
  };
}

function reviewSection(): Section {
  return {
    id: 'review',
    title: 'Review',
    content: [
      text('An administrator looks at `GET /admin/queue` and decides on each record: `approve`, `changes` or `cancel`.'),
      commands(`send administrator /auth/login -o /dev/null --json '{"email":"'"$ADMIN_EMAIL"'","password":"'"$ADMIN_PASSWORD"'"}'
for RECORD in "profile $PROFILE" "photo $PROFILE" "document $IDENTITY" "document $MEDICAL"; do
  read -r KIND ID <<< "$RECORD"
  send administrator /admin/review --json '{"kind":"'"$KIND"'","id":'"$ID"',"decision":"approve"}' | jq -r .data.status
done`),
      text('An administrator with a second factor sends its code to `POST /auth/second-factor` after the login.'),
    ],
  };
}

function applicationSection(): Section {
  return {
    id: 'application',
    title: 'Application',
    content: [
      text('Service 1 of the catalogue is the national certificate of category A. The answer has its price, in tiyn.'),
      commands(`send person /applications -o application --json @- <<END
{"profile_id": $PROFILE, "service_id": 1, "document_ids": [$IDENTITY, $MEDICAL],
 "data": {"sport": "Motor sport", "insurance_territory": "KZ"}}
END
APPLICATION=$(jq .data.id application)
send person "/applications/$APPLICATION/submit" -X POST | jq -r .data.status`),
      text('At any time `GET /applications/{id}/readiness` names what is missing, who must act, and the request that does it.'),
      commands(`send person "/applications/$APPLICATION/readiness" | jq -c '.data[] | select(.ok | not)'`),
    ],
  };
}

function paymentSection({ NODE_ENV: environment }: Variables): Section {
  const isProduction = environment === 'production';
  return {
    id: 'payment',
    title: 'Payment',
    content: [
      text('The wallet pays. An invoice fills it through the bank; its key makes a repeat harmless.'),
      commands(`AMOUNT=$(jq '.data.amount_minor / 100' application)
INVOICE=$(send person /invoices -H "Idempotency-Key: invoice-of-$APPLICATION" --json '{"amount":"'"$(printf %.2f "$AMOUNT")"'"}' | jq .data.id)
send person "/invoices/$INVOICE/checkout" -X POST -o checkout`),
      text(
        isProduction
          ? '`POST /invoices/{id}/checkout` answers a form. The browser of the payer posts its `fields` to its `action`, the page of the bank, and pays there. Continue after the payment.'
          : '`POST /invoices/{id}/checkout` answers a form. The browser of the payer posts its `fields` to its `action`, the page of the bank. These commands do that with the simulator, and press the first button, Pay:',
      ),
      ...(isProduction
        ? []
        : [
            commands(`BANK=$(jq -r .data.action checkout)
jq -r '.data.fields | to_entries | map("\\(.key)=\\(.value | @uri)") | join("&")' checkout | curl -sS "$BANK" -d @- -o bank.html
FORM=$(grep -m1 -o 'action="[^"]*"' bank.html | cut -d'"' -f2)
TICKET=$(grep -m1 -o 'name="ticket" value="[^"]*"' bank.html | cut -d'"' -f4)
curl -sS -o /dev/null "\${BANK%/pay}$FORM" --data-urlencode "ticket=$TICKET" -d decision=pay`),
          ]),
      text(
        '`POST /invoices/{id}/verify` asks the bank at once. Nobody approves a national certificate that is paid and complete: the answer of the payment has its number.',
      ),
      commands(`send person "/invoices/$INVOICE/verify" -X POST | jq -r .data.status
send person "/applications/$APPLICATION/pay" -X POST -o application
jq -r '.data | .status, .number' application`),
    ],
  };
}

function certificateSection(): Section {
  return {
    id: 'certificate',
    title: 'Certificate',
    content: [
      text('The PDF is made once. While it is made, the answer is 503 with `Retry-After`, which curl obeys here.'),
      commands(`send person "/applications/$APPLICATION/certificate" -o certificate.pdf`),
      text('Its QR has the address of a page that says whether it is valid now. A program asks `GET /verify/{token}`, without an account:'),
      commands(`TOKEN=$(jq -r .data.verification_token application)
curl -sS "$API/verify/$TOKEN" | jq '.data | {valid, state, number}'`),
    ],
  };
}

function clientSection(config: Variables): Section {
  const isProduction = config.NODE_ENV === 'production';
  return {
    id: 'client',
    title: 'The same with the client',
    content: [
      text(`A program uses API keys. Each owner makes them in a browser session. [Build on it](${buildPagePath}) tells more.`),
      commands(`makeKey() {
  send "$1" /api-keys --json '{"name":"First steps","scopes":'"$2"',"expires_at":"${yearOfExpiry()}-12-31","password":"'"$3"'"}' | jq -r .data.key
}
export BASE_URL=${baseUrl(config)}
export KEY=$(makeKey person '${JSON.stringify(scopesOfOwner)}' "$PASSWORD")
export ADMIN_KEY=$(makeKey administrator '["admin:write"]' "$ADMIN_PASSWORD")`),
      text(
        'The package `client/` of the project has the types of every route, and repeats what may be repeated. `npm pack ./client` there makes an archive; `npm install` it in the folder of these commands, and save the program as `start.ts`:',
      ),
      program(`import { createClient } from 'federation-registry-client';
import { openAsBlob } from 'node:fs';

const { BASE_URL: baseUrl = '', KEY: apiKey = '', ADMIN_KEY = '' } = process.env;
const person = createClient({ baseUrl, apiKey });
const administrator = createClient({ baseUrl, apiKey: ADMIN_KEY });
const picture = await openAsBlob('portrait.png');
const until = '${yearOfExpiry()}-12-31';

const photo = await person.upload('photo', picture, 'portrait.png');
const athlete = { last_name: 'Ivanova', first_name: 'Maria', birth_date: '2003-02-11', gender: 'female', citizenship: 'KZ' } as const;
const { data: profile } = await person.POST('/profiles', { body: { kind: 'athlete', photo_id: photo.id, data: athlete } });
const documents: number[] = [];
for (const [type, number] of [['identity', '047512904'], ['medical', 'M-3048']] as const) {
  const { id: file_id } = await person.upload(type, picture, 'scan.png');
  const body = { profile_id: profile.id, type, file_id, number, issued_at: '2020-03-01', expires_at: until };
  documents.push((await person.POST('/documents', { body })).data.id);
}
await person.POST('/profiles/{id}/submit', { params: { path: { id: profile.id } } });

for (const kind of ['profile', 'photo'] as const) await administrator.POST('/admin/review', { body: { kind, id: profile.id, decision: 'approve' } });
for (const id of documents) await administrator.POST('/admin/review', { body: { kind: 'document', id, decision: 'approve' } });

const wishes = { sport: 'Motor sport', insurance_territory: 'KZ' } as const;
const { data: draft } = await person.POST('/applications', { body: { profile_id: profile.id, service_id: 1, document_ids: documents, data: wishes } });
const application = { path: { id: draft.id } };
await person.POST('/applications/{id}/submit', { params: application });

const wanted = { header: { 'Idempotency-Key': 'invoice-of-' + draft.id } };
const { data: bill } = await person.POST('/invoices', { params: wanted, body: { amount: (draft.amount_minor / 100).toFixed(2) } });
const invoice = { path: { id: bill.id } };
const { data: form } = await person.POST('/invoices/{id}/checkout', { params: invoice });
${
  isProduction
    ? '// The browser of the payer posts the fields to the bank. Wait until the payment is made.'
    : `// A browser does the rest. The simulator takes these two requests for one.
const page = await (await fetch(form.action, { method: 'POST', body: new URLSearchParams(form.fields) })).text();
const [, path = '', ticket = ''] = /action="([^"]+)">\\s*<input type="hidden" name="ticket" value="([^"]+)"/.exec(page) ?? [];
await fetch(new URL(path, form.action), { method: 'POST', body: new URLSearchParams({ ticket, decision: 'pay' }) });`
}
await person.POST('/invoices/{id}/verify', { params: invoice });
const { data: paid } = await person.POST('/applications/{id}/pay', { params: application });

const { data: pdf } = await person.GET('/applications/{id}/certificate', { params: application, parseAs: 'blob' });
const { data: verified } = await person.GET('/verify/{token}', { params: { path: { token: paid.verification_token ?? '' } } });
console.log(paid.number, pdf.size, verified.valid);`),
      commands('node start.ts'),
    ],
  };
}
