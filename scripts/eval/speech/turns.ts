/** A stretch of time, in seconds. */
export interface Span {
  readonly startSeconds: number
  readonly endSeconds: number
}

/** One speaker speaks; turns may overlap. */
export interface LabelledTurn extends Span {
  readonly speaker: string
}

/** Turns of each recording in a file in RTTM, by the recording's name. Throws on a line that is none of its kind. */
export function readRttm(text: string): Map<string, LabelledTurn[]> {
  const rows = fieldsOf(text).filter(([type]) => type === 'SPEAKER')
  return grouped(rows, ([, recording, , start, duration, , , speaker]) => {
    const startSeconds = Number(start)
    const turn = { speaker: speaker ?? '', startSeconds, endSeconds: startSeconds + Number(duration) }
    return { recording, value: turn }
  })
}

/** What is scored of each recording in a file in UEM, by the recording's name. Throws on a line that is not of its form. */
export function readUem(text: string): Map<string, Span[]> {
  return grouped(fieldsOf(text), ([recording, , start, end]) => ({
    recording,
    value: { startSeconds: Number(start), endSeconds: Number(end) },
  }))
}

function fieldsOf(text: string): string[][] {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith(';'))
  return lines.map((line) => line.trim().split(/\s+/))
}

function grouped<Value extends Span>(
  rows: readonly string[][],
  read: (fields: string[]) => { recording: string | undefined; value: Value },
): Map<string, Value[]> {
  const groups = new Map<string, Value[]>()
  for (const row of rows) {
    const { recording, value } = read(row)
    if (recording === undefined || !(value.endSeconds >= value.startSeconds)) {
      throw new Error(`not a line of RTTM or UEM: ${row.join(' ')}`)
    }
    groups.set(recording, [...(groups.get(recording) ?? []), value])
  }
  return groups
}
