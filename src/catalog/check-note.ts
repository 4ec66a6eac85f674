/** What a check of a model's servers found that they lack: a file of the data folder, until the next check or another manifest. */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { ModelManifest } from '../core/model.ts'
import { serverLacks } from '../core/upstream.ts'
import { FileError, statFile } from './stat-file.ts'

const note = Type.Object({
  /** Of the manifest that was checked. */
  revision: Type.String(),
  checkedAtMs: Type.Integer({ minimum: 0 }),
  /** Longest prompt and answer that all servers take; absent: none tells. */
  contextTokens: Type.Optional(Type.Integer({ minimum: 1 })),
  lacks: Type.Array(Type.Union(serverLacks.map((lack) => Type.Literal(lack)))),
})

export interface CheckNote extends Omit<Static<typeof note>, 'revision' | 'contextTokens'> {
  readonly contextTokens?: number | undefined
}

/** `manifest`: as it is written. Throws the system's error where the disk takes no note. */
export function writeCheckNote(dataDir: string, manifest: ModelManifest, found: CheckNote): void {
  const path = notePath(dataDir, manifest.id)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  // Readers must not see it half written.
  const temporary = `${path}.${process.pid}.tmp`
  try {
    writeFileSync(temporary, `${JSON.stringify({ revision: revisionOf(manifest), ...found })}\n`, {
      mode: 0o600,
    })
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

export interface CheckedManifest {
  /** Without what its servers lack. */
  readonly manifest: ModelManifest
  /** Undefined: never, or the manifest has changed since. */
  readonly checkedAtMs: number | undefined
}

interface Known {
  readonly written: ModelManifest
  readonly fingerprint: string
  readonly checked: CheckedManifest
}

/** Reads notes, again whenever one has changed. */
export class CheckNotes {
  readonly #dataDir: string
  readonly #known = new Map<string, Known>()

  constructor(dataDir: string) {
    this.#dataDir = dataDir
  }

  /** Whatever lies there, this neither throws nor waits. The same manifest comes as the same object. */
  apply(written: ModelManifest): CheckedManifest {
    const unchecked = { manifest: written, checkedAtMs: undefined }
    if (written.upstream === undefined) return unchecked
    const path = notePath(this.#dataDir, written.id)
    const found = statFile(path)
    if (found === undefined || found instanceof FileError || !found.isFile()) return unchecked
    const fingerprint = `${found.ctimeMs}:${found.size}:${found.ino}`
    const known = this.#known.get(written.id)
    if (known?.written === written && known.fingerprint === fingerprint) return known.checked
    const read = readNote(path)
    const counts = read !== undefined && read.revision === revisionOf(written)
    const checked = counts ? { manifest: narrowed(written, read), checkedAtMs: read.checkedAtMs } : unchecked
    this.#known.set(written.id, { written, fingerprint, checked })
    return checked
  }
}

/** What the manifest promises, less what the servers lack; never more. */
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

/** Changes with what a check is about: not with prices and names. */
function revisionOf({ type, upstream, capabilities, contextLength, dimensions, encoder, synthesizer }: ModelManifest) {
  const checked = [type, upstream, capabilities, contextLength, dimensions, encoder, synthesizer]
  return createHash('sha256').update(JSON.stringify(checked)).digest('hex')
}

/** The id as in URLs, so that no two ids share a file. */
function notePath(dataDir: string, id: string): string {
  return join(dataDir, 'checks', `${encodeURIComponent(id)}.json`)
}

function readNote(path: string): Static<typeof note> | undefined {
  try {
    const content: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return Value.Check(note, content) ? content : undefined
  } catch {
    return undefined // it tells nothing; the next check does
  }
}
