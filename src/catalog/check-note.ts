/**
 * Note in the data folder on what a check of a model's servers found missing. Valid until the next check or a changed
 * manifest.
 */

import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import type { ModelManifest } from '../core/model.ts'
import { oneOf } from '../core/schemas.ts'
import { serverLacks } from '../core/upstream.ts'
import { readNote, writeNote } from './notes.ts'
import { FileError, statFile } from './stat-file.ts'

const note = Type.Object({
  /** Revision of the checked manifest. */
  revision: Type.String(),
  checkedAtMs: Type.Integer({ minimum: 0 }),
  /** Tokens of the longest prompt and answer together that all servers take. Absent if no server reports it. */
  contextTokens: Type.Optional(Type.Integer({ minimum: 1 })),
  lacks: Type.Array(oneOf(serverLacks)),
})

export interface CheckNote extends Omit<Static<typeof note>, 'revision' | 'contextTokens'> {
  readonly contextTokens?: number | undefined
}

/** Writes a note on the manifest as written. Throws the system's error if it cannot be written. */
export function writeCheckNote(dataDir: string, manifest: ModelManifest, found: CheckNote): void {
  const path = notePath(dataDir, manifest.id)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeNote(path, { revision: revisionOf(manifest), ...found })
}

export interface CheckedManifest {
  /** Manifest without the capabilities that its servers lack. */
  readonly manifest: ModelManifest
  /** Time of the check in milliseconds UTC. Undefined if never checked or the manifest has changed since. */
  readonly checkedAtMs: number | undefined
}

interface Known {
  readonly written: ModelManifest
  readonly fingerprint: string
  readonly checked: CheckedManifest
}

/** Notes of all models, each read again once it has changed. */
export class CheckNotes {
  readonly #dataDir: string
  readonly #known = new Map<string, Known>()

  constructor(dataDir: string) {
    this.#dataDir = dataDir
  }

  /**
   * Returns the manifest narrowed by its note. Never throws or waits. Returns the same object for the same manifest and
   * note.
   */
  apply(written: ModelManifest): CheckedManifest {
    const unchecked = { manifest: written, checkedAtMs: undefined }
    if (written.upstream === undefined) return unchecked
    const path = notePath(this.#dataDir, written.id)
    const found = statFile(path)
    if (found === undefined || found instanceof FileError || !found.isFile()) return unchecked
    const fingerprint = `${found.ctimeMs}:${found.size}:${found.ino}`
    const known = this.#known.get(written.id)
    if (known?.written === written && known.fingerprint === fingerprint) return known.checked
    const read = readNote(path, note)
    const counts = read !== undefined && read.revision === revisionOf(written)
    const checked = counts ? { manifest: narrowed(written, read), checkedAtMs: read.checkedAtMs } : unchecked
    this.#known.set(written.id, { written, fingerprint, checked })
    return checked
  }
}

/** Returns the manifest without the abilities that the servers lack. Never adds any. */
export function narrowed(
  written: ModelManifest,
  { lacks, contextTokens }: Omit<CheckNote, 'checkedAtMs'>,
): ModelManifest {
  const { upstream, capabilities, contextLength = Number.POSITIVE_INFINITY } = written
  const isShorter = contextTokens !== undefined && contextTokens < contextLength
  const manifest = isShorter ? { ...written, contextLength: contextTokens } : written
  if (upstream === undefined || lacks.length === 0) return manifest
  const has = new Set(lacks)
  const isSwitched = capabilities.reasoning === 'toggle'
  return {
    ...manifest,
    upstream: { ...upstream, lacks },
    capabilities: {
      ...capabilities,
      ...(has.has('tools') && { tools: false }),
      ...(has.has('schemas') && { structured_outputs: false }),
      ...(has.has('logprobs') && { logprobs: false }),
      ...(has.has('prompts') && { completions: false }),
      ...(has.has('thinking-switch') && isSwitched && { reasoning: 'always' }),
      ...(has.has('thinking') && { reasoning: 'none' }),
      ...(has.has('words') && { word_timestamps: false }),
      ...(has.has('speakers') && { diarization: false }),
    },
  }
}

/** Returns a digest of the fields that a check depends on; prices and names are not among them. */
function revisionOf({ type, upstream, capabilities, contextLength, dimensions, encoder, synthesizer }: ModelManifest) {
  const checked = [type, upstream, capabilities, contextLength, dimensions, encoder, synthesizer]
  return createHash('sha256').update(JSON.stringify(checked)).digest('hex')
}

/** Returns the note's path. The id is URL-encoded so that no two ids share a file. */
function notePath(dataDir: string, id: string): string {
  return join(dataDir, 'checks', `${encodeURIComponent(id)}.json`)
}
