/** Origin of a request, in headers between boxes. One inferd may serve another's models. */

export interface RequestTrace {
  /** This server's own id of the request. */
  readonly requestId: string
  /** Run ids of the servers that passed the request on, in order. */
  readonly boxes: readonly string[]
}

/** Header with the sender's id of the request. */
export const requestIdHeader = 'x-request-id'
export const boxesHeader = 'x-inferd-boxes'

/** Most boxes on a request's way. More are a configuration error. */
export const boxesLimit = 8

/** Returns the sender's id of a request if it is short and plain. It only appears in logs, beside our own. */
export function readRequestId(sent: string | null): string | undefined {
  return sent !== null && /^[\w.:-]{1,64}$/.test(sent) ? sent : undefined
}

/** Returns a W3C `traceparent` of version 00; undefined for anything else, and for ids of zeros alone. */
export function readTraceParent(sent: string | null): string | undefined {
  return sent !== null && /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/.test(sent) ? sent : undefined
}

/** Returns the ids. Anything but a list of ids counts as empty. */
export function readBoxes(sent: string | null): readonly string[] {
  return sent !== null && /^\w{1,32}(,\w{1,32}){0,31}$/.test(sent) ? sent.split(',') : []
}

/** Returns headers for a request that box `own` passes on. */
export function traceHeaders({ requestId, boxes }: RequestTrace, own: string): Readonly<Record<string, string>> {
  return { [requestIdHeader]: requestId, [boxesHeader]: [...boxes, own].join(',') }
}
