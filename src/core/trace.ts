/** Where a request comes from, as boxes tell each other: one inferd may serve models of another. */

export interface RequestTrace {
  /** This server's own id of the request. */
  readonly requestId: string
  /** Servers that the request came through before this one, each by the id of its run, the first one first. */
  readonly boxes: readonly string[]
}

/** A header with the id that the sender has given the request. */
export const requestIdHeader = 'x-request-id'
export const boxesHeader = 'x-inferd-boxes'

/** Through more boxes than this no request comes that was meant to. */
export const boxesLimit = 8

/** What others may call a request: an id, not a text. It is written into logs beside our own, and nothing is looked up by it. */
export function readRequestId(sent: string | null): string | undefined {
  return sent !== null && /^[\w.:-]{1,64}$/.test(sent) ? sent : undefined
}

/** What is no list of ids counts as none. */
export function readBoxes(sent: string | null): readonly string[] {
  return sent !== null && /^\w{1,32}(,\w{1,32}){0,31}$/.test(sent) ? sent.split(',') : []
}

/** What a box is told that a request is passed on to by box `own`. */
export function traceHeaders({ requestId, boxes }: RequestTrace, own: string): Readonly<Record<string, string>> {
  return { [requestIdHeader]: requestId, [boxesHeader]: [...boxes, own].join(',') }
}
