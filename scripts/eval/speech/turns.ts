/** Span of time in seconds. */
export interface Span {
  readonly startSeconds: number
  readonly endSeconds: number
}

/** Speech of one speaker. Turns may overlap. */
export interface LabelledTurn extends Span {
  readonly speaker: string
}

/** Returns the turns in an RTTM file by the recording's name. Throws on an invalid line. */
export function readRttm(text: string): Map<string, LabelledTurn[]> {
  const rows = fieldsOf(text).filter(([type]) => type === 'SPEAKER')
  return grouped(rows, ([, recording, , start, duration, , , speaker]) => {
    const startSeconds = Number(start)
    const turn = { speaker: speaker ?? '', startSeconds, endSeconds: startSeconds + Number(duration) }
    return { recording, value: turn }
  })
}

/** Returns the scored spans in a UEM file by the recording's name. Throws on an invalid line. */
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
