/** What a person has made of the speakers of one transcript: names, and labels that are one person after all. */
import type { Turn } from './transcript.ts'

export interface SpeakerEdits {
  /** Names by label. */
  readonly names: Readonly<Record<string, string>>
  /** The label that stands for another one. */
  readonly mergedInto: Readonly<Record<string, string>>
}

export const noEdits: SpeakerEdits = { names: {}, mergedInto: {} }

export function rename(edits: SpeakerEdits, label: string, name: string): SpeakerEdits {
  return { ...edits, names: { ...edits.names, [label]: name.trim() } }
}

/** Both are the speaker `into` from now on, and so are those that were `label` already. */
export function merge(edits: SpeakerEdits, label: string, into: string): SpeakerEdits {
  const target = labelOf(edits, into)
  const moved = Object.entries(edits.mergedInto).map(([from, to]) => [from, to === label ? target : to])
  return { ...edits, mergedInto: { ...Object.fromEntries(moved), [label]: target } }
}

export function labelOf({ mergedInto }: SpeakerEdits, label: string): string {
  return mergedInto[label] ?? label
}

/** The name that was given, else the label. */
export function nameOf(edits: SpeakerEdits, label: string): string {
  const own = labelOf(edits, label)
  return edits.names[own] || own
}

/** The turns of the speakers that are left. Neighbours of one speaker become one turn. */
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

/** The share of all speech that each speaker has, 0 to 1. */
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
