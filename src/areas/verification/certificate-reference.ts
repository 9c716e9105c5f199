/** A reference to a certificate: the printed number or the token of its QR. */
export type CertificateReference =
  | { by: 'number'; number: string }
  | { by: 'token'; token: string }
  /** A link to another host, or a link to this service that is not a certificate's. */
  | { by: 'nothing'; problem: 'foreign_link' | 'no_certificate_link' };

/** The verification token: 32 bytes in base64url, case-sensitive. */
const tokenShape = /^[\w-]{43}$/;
/** Any URI scheme, also `javascript:` and `mailto:`. */
const scheme = /^[a-z][a-z0-9+.-]*:/i;
const webScheme = /^https?:\/\//i;

/**
 * Parses a certificate number, a verification token or the full link of a QR (VER-8).
 *
 * Does not look the certificate up: a text that is neither link nor token counts as a number. Host, port and path of a link must be
 * those of this service. Query and fragment are ignored, because scanners and messengers append them. The scheme may be missing or
 * `http`, because address bars hide it and old QRs have `http`.
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
