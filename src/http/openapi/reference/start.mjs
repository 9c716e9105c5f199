/**
 * Starts the reference in the browser (`page.ts`). The library and its lazy parts make style elements; all get the nonce of the page, the
 * only ones that its policy allows.
 */
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
  url: '/api/v1/openapi.json',
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
  if (/^Bearer\s*$/i.test(headers.get('authorization') ?? '')) headers.delete('authorization');
  if (request.method !== 'GET' && !headers.has('authorization')) {
    const session = await (await fetch('/api/v1/session')).json();
    headers.set('X-CSRF-Token', session.data.csrf_token);
  }
  return fetch(request);
}
