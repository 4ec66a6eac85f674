import type { ParsedBody, Refusal } from './parse-body.ts'

/** What the thread that parses bodies is told, one body at a time. */
export type ToParser =
  | { readonly type: 'parse'; readonly endpoint: string; readonly pieces: readonly Uint8Array<ArrayBuffer>[] }
  /** Answers `wants`: the same items, undefined where they are not known. */
  | { readonly type: 'items'; readonly items: ReadonlyMap<string, object | undefined> }

export type FromParser =
  | { readonly type: 'parsed'; readonly body: ParsedBody }
  | { readonly type: 'refused'; readonly refusal: Refusal }
  /** The body refers to these items of earlier answers, and to those that it asked for before. */
  | { readonly type: 'wants'; readonly ids: readonly string[] }
