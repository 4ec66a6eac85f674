/** What a fake hub does wrong. */
import { gzipSync } from 'node:zlib'
import type { RawReply } from './raw-http.ts'

export type Fault =
  | { readonly kind: 'cut' | 'stall'; readonly afterBytes: number }
  | { readonly kind: 'drip'; readonly pauseMs: number }
  /** Instead of the answer. */
  | { readonly kind: 'status'; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly kind: 'redirect'; readonly location: string }
  /** The whole file with 200, whatever range was asked for. */
  | { readonly kind: 'ignore-range' }
  /** Right in length, wrong in content. */
  | { readonly kind: 'other-bytes' }
  | { readonly kind: 'gzip' }
  /** `content-length` says so many bytes more or less than there are; the connection ends after the real ones. */
  | { readonly kind: 'length'; readonly difference: number }
  /** No length: the body ends with the connection. */
  | { readonly kind: 'unsized' }
  /** An error page with 200, as portals of hotels answer. */
  | { readonly kind: 'html' }

/** `whole`: the answer to a request without a range. */
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
