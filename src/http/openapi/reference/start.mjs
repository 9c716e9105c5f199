/** Starts the reference in the browser (`page.ts`). */
const documentPath = '/api/v1/openapi.json';
/** Begun beside the scripts; taken once. */
let description = fetch(documentPath).then((response) => response.json());

// The library and its lazy parts make style elements. All get the nonce of the page: its policy allows no others.
const nonce = document.querySelector('meta[property=csp-nonce]').nonce;
const createElement = document.createElement.bind(document);
document.createElement = (name, options) => {
  const element = createElement(name, options);
  if (name === 'style') element.nonce = nonce;
  return element;
};
// Loaded after that, because it makes the first ones.
const { createApiReference } = await import('./standalone.esm.js');

createApiReference('#reference', {
  url: documentPath,
  // The address of this page: the policy allows no other, and the cookie belongs to it.
  servers: [{ url: `${location.origin}/api/v1` }],
  authentication: { preferredSecurityScheme: 'apiKey' },
  customFetch: send,
  agent: { disabled: true },
  mcp: { disabled: true },
  telemetry: false,
  withDefaultFonts: false,
  showDeveloperTools: 'never',
  hideClientButton: true,
  documentDownloadType: 'direct',
  hideModels: true,
  defaultOpenFirstTag: false,
});

/** Sends a request of the reader: with the API key that was entered, otherwise with the cookie and the session's present CSRF token. */
async function send(input, init) {
  const request = new Request(input, init);
  const { headers } = request;
  if (description !== null && request.url === new URL(documentPath, location.href).href) {
    const own = await description;
    description = null;
    return Response.json(forThisPage(own));
  }
  if (/^Bearer\s*$/i.test(headers.get('authorization') ?? '')) headers.delete('authorization');
  if (request.method !== 'GET' && !headers.has('authorization')) {
    const session = await (await fetch('/api/v1/session')).json();
    headers.set('X-CSRF-Token', session.data.csrf_token);
  }
  return fetch(request);
}

/**
 * Writes refusals that are the same in many operations once, and leaves out links and the headers of each success: the groups then show in
 * about half the time. Says that `send` fills in the CSRF token.
 */
function forThisPage({ paths, components, ...others }) {
  const names = new Map();
  const responses = {};
  const share = (refusal) => {
    const text = JSON.stringify(refusal);
    const name = names.get(text) ?? `Refusal${names.size + 1}`;
    names.set(text, name);
    responses[name] = refusal;
    return { $ref: `#/components/responses/${name}` };
  };
  for (const operation of Object.values(paths).flatMap((operations) => Object.values(operations))) {
    for (const parameter of operation.parameters ?? []) {
      if (parameter.name !== 'X-CSRF-Token') continue;
      parameter.example = 'filled-in-by-this-page';
      parameter.description += '; this page sends it by itself';
    }
    for (const [status, { links: _links, headers, ...response }] of Object.entries(operation.responses ?? {}))
      operation.responses[status] =
        Number(status) >= 400 ? share({ headers, ...response }) : { ...response, headers: { Location: headers?.Location } };
  }
  return { ...others, paths, components: { ...components, responses: { ...components.responses, ...responses } } };
}
