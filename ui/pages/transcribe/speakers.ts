/** Edits of a transcript's speakers: names, and labels merged into one person. */
import type { Turn } from './transcript.ts'

export interface SpeakerEdits {
  /** Names by label. */
  readonly names: Readonly<Record<string, string>>
  /** Label that replaces each merged label. */
  readonly mergedInto: Readonly<Record<string, string>>
}

export const noEdits: SpeakerEdits = { names: {}, mergedInto: {} }

export function rename(edits: SpeakerEdits, label: string, name: string): SpeakerEdits {
  return { ...edits, names: { ...edits.names, [label]: name.trim() } }
}

/** Merges `label`, with all labels merged into it before, into the speaker `into`. */
export function merge(edits: SpeakerEdits, label: string, into: string): SpeakerEdits {
  const target = labelOf(edits, into)
  const moved = Object.entries(edits.mergedInto).map(([from, to]) => [from, to === label ? target : to])
  return { ...edits, mergedInto: { ...Object.fromEntries(moved), [label]: target } }
}

export function labelOf({ mergedInto }: SpeakerEdits, label: string): string {
  return mergedInto[label] ?? label
}

/** Returns the given name, else the label. */
export function nameOf(edits: SpeakerEdits, label: string): string {
  const own = labelOf(edits, label)
  return edits.names[own] || own
}

/** Returns the turns under the merged labels. Adjacent turns of one speaker are joined. */
export function editedTurns(turns: readonly Turn[], edits: SpeakerEdits): Turn[] {
  const joined: Turn[] = []
  for (const turn of turns) {
    const speaker = turn.speaker === undefined ? undefined : labelOf(edits, turn.speaker)
    const last = joined.at(-1)
    if (last === undefined || speaker === undefined || last.speaker !== speaker) {
      joined.push({ ...turn, speaker })
      continue
    }
    const words = turn.words.map((word, index) => (index === 0 ? { ...word, space: ' ' } : word))
    joined[joined.length - 1] = { ...last, end: turn.end, words: [...last.words, ...words] }
  }
  return joined
}

/** Returns each speaker's share of all speech, 0 to 1. */
export function shares(turns: readonly Turn[]): ReadonlyMap<string, number> {
  const seconds = new Map<string, number>()
  let all = 0
  for (const { speaker, start, end } of turns) {
    if (speaker === undefined) continue
    seconds.set(speaker, (seconds.get(speaker) ?? 0) + end - start)
    all += end - start
  }
  return new Map([...seconds].map(([speaker, own]) => [speaker, all === 0 ? 0 : own / all]))
}
