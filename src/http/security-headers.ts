import type { PathRules } from './path-rules.ts'

/** Pages run what this server sends and nothing else, talk to this server alone, and cannot make HTML of text. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** For a document with a form, which goes to this server: its browser says which page sends it. */
export const formHeaders = {
  'content-security-policy': contentSecurityPolicy.replace("form-action 'none'", "form-action 'self'"),
  'referrer-policy': 'same-origin',
}

const securityHeaders = Object.entries({
  'content-security-policy': contentSecurityPolicy,
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'microphone=(self), camera=(), geolocation=(), payment=(), usb=()',
})

/** Adds the headers of every document and of everything for this server's pages, unless they are set. */
export function setSecurityHeaders(headers: Headers, { isOwn }: PathRules): void {
  const isDocument = headers.get('content-type')?.startsWith('text/html') === true
  if (!isOwn && !isDocument) return
  for (const [name, value] of securityHeaders) if (!headers.has(name)) headers.set(name, value)
}
