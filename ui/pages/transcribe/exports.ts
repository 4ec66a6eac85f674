/** Export files of a transcript, with the edited names of speakers. */
import { editedTurns, nameOf, type SpeakerEdits } from './speakers.ts'
import { type Transcript, type TranscriptionAnswer, type Turn, textOf, type Word } from './transcript.ts'

export interface Exported {
  readonly transcript: Transcript
  readonly answer: TranscriptionAnswer
  readonly edits: SpeakerEdits
}

export const exports: Readonly<Record<'txt' | 'srt' | 'vtt' | 'json', (exported: Exported) => string>> = {
  txt: toText,
  srt: toSrt,
  vtt: toVtt,
  json: toJson,
}

/** Returns one line per turn. */
function toText({ transcript, edits }: Exported): string {
  const turns = editedTurns(transcript.turns, edits)
  return turns.map((turn) => `${prefix(turn, edits)}${textOf(turn.words)}\n`).join('')
}

function toSrt({ transcript, edits }: Exported): string {
  const cues = cuesOf(editedTurns(transcript.turns, edits))
  return cues
    .map((cue, index) => `${index + 1}\n${times(cue, ',')}\n${prefix(cue, edits)}${line(textOf(cue.words))}\n\n`)
    .join('')
}

function toVtt({ transcript, edits }: Exported): string {
  const cues = cuesOf(editedTurns(transcript.turns, edits))
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `WEBVTT\n\n${cues
    .map((cue) => `${times(cue, '.')}\n${escaped(prefix(cue, edits) + line(textOf(cue.words)))}\n\n`)
    .join('')}`
}

/** Returns the server's answer with its labels and the names given to them. */
function toJson({ transcript, answer, edits }: Exported): string {
  const names = Object.fromEntries(transcript.speakers.map((label) => [label, nameOf(edits, label)]))
  const shown = transcript.speakers.length === 0 ? answer : { ...answer, speaker_names: names }
  return `${JSON.stringify(shown, null, 2)}\n`
}

function prefix({ speaker }: Turn, edits: SpeakerEdits): string {
  return speaker === undefined ? '' : `${line(nameOf(edits, speaker))}: `
}

/** Returns a cue's text on one line without `-->`: an empty line would end the cue, and the arrow separates times. */
function line(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll('-->', '→')
}

/** Length that fits below a picture, and the pause that ends a cue. */
const cueLimits = { characters: 84, seconds: 7, pauseSeconds: 0.8 }

/** Returns turns split at pauses and before they get too long to read. */
export function cuesOf(turns: readonly Turn[]): Turn[] {
  return turns.flatMap(({ speaker, words }) => {
    const groups: Word[][] = []
    for (const word of words) {
      const group = groups.at(-1)
      if (group === undefined || beginsCue(group, word)) groups.push([word])
      else group.push(word)
    }
    return groups.map((group) => ({
      speaker,
      start: group[0]?.start ?? 0,
      end: group.at(-1)?.end ?? 0,
      words: group,
    }))
  })
}

function beginsCue(group: readonly Word[], word: Word): boolean {
  const [first, last] = [group[0], group.at(-1)]
  if (first === undefined || last === undefined) return false
  if (word.start - last.end >= cueLimits.pauseSeconds || word.end - first.start > cueLimits.seconds) return true
  return textOf(group).length + word.space.length + word.text.length > cueLimits.characters
}

function times({ start, end }: Turn, point: ',' | '.'): string {
  return `${clock(start, point)} --> ${clock(end, point)}`
}

function clock(seconds: number, point: ',' | '.'): string {
  const ms = Math.round(seconds * 1_000)
  const whole = Math.floor(ms / 1_000)
  const parts = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60]
  return `${parts.map((part) => String(part).padStart(2, '0')).join(':')}${point}${String(ms % 1_000).padStart(3, '0')}`
}
