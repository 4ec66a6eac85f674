/** Faults of a fake hub. */
import { gzipSync } from 'node:zlib'
import type { RawReply } from './raw-http.ts'

export type Fault =
  | { readonly kind: 'cut' | 'stall'; readonly afterBytes: number }
  | { readonly kind: 'drip'; readonly pauseMs: number }
  /** Another status instead of the answer. */
  | { readonly kind: 'status'; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly kind: 'redirect'; readonly location: string }
  /** Status 200 with the whole file, even if a range was requested. */
  | { readonly kind: 'ignore-range' }
  /** Right length, wrong content. */
  | { readonly kind: 'other-bytes' }
  | { readonly kind: 'gzip' }
  /** `content-length` differs from the real length by this many bytes; the connection ends after the real ones. */
  | { readonly kind: 'length'; readonly difference: number }
  /** No `content-length`: the connection's end ends the body. */
  | { readonly kind: 'unsized' }
  /** Status 200 with a page of HTML, like a hotel's network portal. */
  | { readonly kind: 'html' }

/** Returns the reply with the fault. `whole` makes the reply to a request without a range. */
export function withFault(fault: Fault, reply: RawReply, whole: () => RawReply): RawReply {
  switch (fault.kind) {
    case 'cut':
      return { ...reply, cutAfter: fault.afterBytes }
    case 'stall':
      return { ...reply, stallAfter: fault.afterBytes }
    case 'drip':
      return { ...reply, dripMs: fault.pauseMs }
    case 'status':
      return { status: fault.status, headers: fault.headers ?? {}, body: new Uint8Array() }
    case 'redirect':
      return { status: 302, headers: { location: fault.location }, body: new Uint8Array() }
    case 'ignore-range':
      return whole()
    case 'other-bytes':
      return { ...reply, body: reply.body.map((byte) => byte ^ 1) }
    case 'gzip':
      return { ...reply, headers: { ...reply.headers, 'content-encoding': 'gzip' }, body: gzipSync(reply.body) }
    case 'length': {
      const length = String(reply.body.length + fault.difference)
      return { ...reply, headers: { ...reply.headers, 'content-length': length }, cutAfter: reply.body.length }
    }
    case 'unsized': {
      const { 'accept-ranges': _, ...headers } = whole().headers
      return { ...whole(), headers: { ...headers, 'content-length': '' } }
    }
    case 'html': {
      const body = new TextEncoder().encode('<!doctype html><title>Sign in</title><p>Please sign in to this network.')
      return { status: 200, headers: { 'content-type': 'text/html' }, body }
    }
  }
}
