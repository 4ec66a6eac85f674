/** Progress with an authority that outlives restarts: an order that was begun, and when to ask again. */
import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { readIfThere, writePrivateFile } from '../../core/private-file.ts'

const milliseconds = Type.Integer({ minimum: 0 })

const stateSchema = Type.Object({
  /** Directory that all of it belongs to. */
  directory: Type.String(),
  /** Fingerprint of the certificate that it issued last */
  issued: Type.Optional(Type.String()),
  order: Type.Optional(Type.Object({ url: Type.String(), key: Type.String(), names: Type.Array(Type.String()) })),
  /** Time before which nothing is asked of the authority, and why. */
  waitUntilMs: Type.Optional(milliseconds),
  problem: Type.Optional(Type.String()),
  /** Failures since the last success. */
  failures: Type.Integer({ minimum: 0 }),
  /** Time at which the authority advises to renew, for the certificate of a fingerprint. */
  advice: Type.Optional(Type.Object({ fingerprint: Type.String(), renewMs: milliseconds, askAgainMs: milliseconds })),
})

export type AcmeState = Readonly<Static<typeof stateSchema>>

function statePath(folder: string): string {
  return join(folder, 'acme.json')
}

/** Reads the state for a directory. Empty if there is none, or only that of another directory. */
export function readState(folder: string, directory: string): AcmeState {
  const empty = { directory, failures: 0 }
  const text = readIfThere(statePath(folder))
  if (text === undefined) return empty
  try {
    const state: unknown = JSON.parse(text)
    return Value.Check(stateSchema, state) && state.directory === directory ? state : empty
  } catch {
    return empty // A damaged file holds nothing that cannot be made again.
  }
}

export function writeState(folder: string, state: AcmeState): void {
  writePrivateFile(statePath(folder), JSON.stringify(state))
}
