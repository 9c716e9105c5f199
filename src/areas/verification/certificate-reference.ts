/** How somebody names a certificate: as it is printed, or as its QR says. */
export type CertificateReference =
  | { by: 'number'; number: string }
  | { by: 'token'; token: string }
  /** A link of somebody else, or one of ours that leads to no certificate. */
  | { by: 'nothing'; problem: 'foreign_link' | 'no_certificate_link' };

/** The verification code: 32 bytes in base64url. Large and small letters differ. */
const tokenShape = /^[\w-]{43}$/;
/** Also of what is no address of the web: `javascript:`, `mailto:`. */
const scheme = /^[a-z][a-z0-9+.-]*:/i;
const webScheme = /^https?:\/\//i;

/**
 * Reads a certificate number, a verification code or the full link of a QR (service.md "Participant", decisions.md §6). Whether there is
 * such a certificate is not asked here: what is neither a link nor a code counts as a number. Of a link the host, with its port, and the
 * path must be ours; what a scanner or a messenger has appended behind the path is left aside. The scheme may be missing, as it is in what an
 * address bar shows, or be the one from before the service moved to https.
 * @param baseUrl address of this service, without a trailing slash
 */
export function parseCertificateReference(text: string, baseUrl: string): CertificateReference {
  const given = text.trim();
  if (tokenShape.test(given)) return { by: 'token', token: given };
  if (!given.includes('/') && !scheme.test(given)) return { by: 'number', number: given.toUpperCase() };

  const link = URL.parse(webScheme.test(given) ? given : `http://${given}`);
  const ours = new URL(baseUrl);
  if (link === null || link.host !== ours.host || link.username !== '' || link.password !== '')
    return { by: 'nothing', problem: 'foreign_link' };
  const prefix = `${ours.pathname === '/' ? '' : ours.pathname}/v/`;
  const token = link.pathname.startsWith(prefix) ? link.pathname.slice(prefix.length) : '';
  const withoutSlash = token.endsWith('/') ? token.slice(0, -1) : token;
  return tokenShape.test(withoutSlash) ? { by: 'token', token: withoutSlash } : { by: 'nothing', problem: 'no_certificate_link' };
}
