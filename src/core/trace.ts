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

/** A request that came through more boxes than this is refused: nobody means that. */
export const boxesLimit = 8

/** What others may call a request: an id, not a text. It is written into logs beside our own, and nothing is looked up by it. */
export function readRequestId(sent: string | null): string | undefined {
  return sent !== null && /^[\w.:-]{1,64}$/.test(sent) ? sent : undefined
}

/** Anything but a list of ids counts as no list. */
export function readBoxes(sent: string | null): readonly string[] {
  return sent !== null && /^\w{1,32}(,\w{1,32}){0,31}$/.test(sent) ? sent.split(',') : []
}

/** Headers for the box that box `own` passes a request on to. */
export function traceHeaders({ requestId, boxes }: RequestTrace, own: string): Readonly<Record<string, string>> {
  return { [requestIdHeader]: requestId, [boxesHeader]: [...boxes, own].join(',') }
}
