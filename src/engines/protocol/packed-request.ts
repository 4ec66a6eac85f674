/**
 * Large requests on their way to an engine. Serializing a conversation of 10,000 messages takes 100 ms, so the thread
 * that parsed it also serializes it. The bytes go over IPC in pieces, and the server serves others in between.
 */
import { setImmediate } from 'node:timers/promises'
import { deserialize, serialize } from 'node:v8'
import { kindsOfWork, type Work } from '../../core/work.ts'

/** Bytes of one IPC message, which takes a few milliseconds. */
const messageBytes = 4 * 1024 * 1024

/** Returns the large fields of the work's request as bytes. */
export function packWork({ kind, request }: Work): Uint8Array {
  const fields = Object.entries(request).filter(([name]) => kindsOfWork[kind].largeFields.includes(name))
  return new Uint8Array(serialize(Object.fromEntries(fields)))
}

/** Returns the work to send besides the packed fields. Unpacked work is returned unchanged. */
export function withoutPacked(work: Work): Work {
  const { kind, request } = work
  if (packedOf(work) === undefined) return work
  const rest = Object.entries(request).filter(
    ([name]) => name !== 'packed' && !kindsOfWork[kind].largeFields.includes(name),
  )
  return { kind, request: Object.fromEntries(rest) } as unknown as Work // the engine's side puts the others back
}

function packedOf({ request }: Work): Uint8Array | undefined {
  return 'packed' in request ? request.packed : undefined
}

/**
 * Sends packed fields ahead of their request, one piece per turn of the event loop. Resolves once the request itself
 * may be sent.
 */
export async function sendPacked(work: Work, send: (bytes: Uint8Array) => void): Promise<void> {
  const packed = packedOf(work)
  if (packed === undefined) return
  for (let at = 0; at < packed.length; at += messageBytes) {
    // A copy, since a view would send its whole buffer.
    send(packed.slice(at, at + messageBytes))
    await setImmediate()
  }
}

/** Returns the work with its packed fields restored, and with what is appended to them. */
export function wholeWork(work: Work, packed = packedOf(work)): Work {
  const unpacked = packed === undefined ? {} : deserialize(packed)
  return withAppended({ kind: work.kind, request: { ...withoutPacked(work).request, ...unpacked } } as Work)
}

function withAppended(work: Work): Work {
  if ((work.kind !== 'chat' && work.kind !== 'count') || work.request.appended === undefined) return work
  const { appended, ...request } = work.request
  const messages = [...request.messages, ...appended.messages]
  return { kind: work.kind, request: { ...request, messages, tools: [...request.tools, ...appended.tools] } }
}

/** Collects packed fields on the engine's side, by the request's id. */
export class PackedRequests {
  readonly #pieces = new Map<number, Uint8Array[]>()

  add(id: number, bytes: Uint8Array): void {
    const pieces = this.#pieces.get(id)
    if (pieces === undefined) this.#pieces.set(id, [bytes])
    else pieces.push(bytes)
  }

  complete(id: number, work: Work): Work {
    const pieces = this.#pieces.get(id)
    this.#pieces.delete(id)
    return wholeWork(work, pieces && Buffer.concat(pieces))
  }

  forget(id: number): void {
    this.#pieces.delete(id)
  }
}
