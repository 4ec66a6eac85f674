import type { ModelFile } from '../../core/model.ts'
import { WebError } from '../web/web-error.ts'
import type { Hub } from './hub.ts'
import { askSource } from './plan-files.ts'

/** Result of comparing a manifest's file with its source. */
export type CheckedFile =
  /** `lines` are TOML that the manifest could add. */
  | { readonly kind: 'ok'; readonly lines: readonly string[] }
  /** `lines` are TOML that the manifest would need. */
  | { readonly kind: 'differs'; readonly differences: readonly string[]; readonly lines: readonly string[] }
  | { readonly kind: 'gone'; readonly reason: string }
  /** The source was not reached, which says nothing about the file. */
  | { readonly kind: 'unreachable'; readonly reason: string }

/** Asks the source of a file. Throws the signal's reason. */
export async function checkSource(file: ModelFile, hub: Hub, signal: AbortSignal): Promise<CheckedFile> {
  try {
    const { facts } = await askSource(file, hub, signal)
    const said: Pick<typeof facts, 'commit' | 'bytes' | 'sha256'> = facts
    const expected = { commit: file.commit, bytes: file.sizeBytes, sha256: file.sha256 }
    const names = ['commit', 'bytes', 'sha256'] as const
    const known = names.filter((name) => said[name] !== undefined)
    const different = known.filter((name) => expected[name] !== undefined && expected[name] !== said[name])
    const lines = known.filter((name) => expected[name] !== said[name]).map((name) => tomlLine(name, said[name]))
    if (different.length === 0) return { kind: 'ok', lines }
    const differences = different.map((name) => `${name} is ${said[name]}, the manifest says ${expected[name]}`)
    return { kind: 'differs', differences, lines }
  } catch (error) {
    if (!(error instanceof WebError)) throw error
    const isAnswer = error.kind === 'final' && error.status !== undefined
    return { kind: isAnswer ? 'gone' : 'unreachable', reason: error.message }
  }
}

function tomlLine(name: string, value: string | number | undefined): string {
  return `${name} = ${JSON.stringify(value)}`
}
