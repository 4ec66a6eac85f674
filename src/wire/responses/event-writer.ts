import { toJsonLine } from '../sse-frame.ts'

/** A frame of which only one text changes, made once: most of a stream are deltas. */
export interface DeltaFrame {
  readonly head: string
  readonly middle: string
}

/** Writes the events of one stream, numbered from 0 without gaps. */
export class EventWriter {
  #sequenceNumber = 0

  event(type: string, fields: object): string {
    const data = { type, sequence_number: this.#sequenceNumber++, ...fields }
    return `event: ${type}\ndata: ${toJsonLine(data)}\n\n`
  }

  added(outputIndex: number, item: object): string {
    return this.event('response.output_item.added', { output_index: outputIndex, item })
  }

  done(outputIndex: number, item: object): string {
    return this.event('response.output_item.done', { output_index: outputIndex, item })
  }

  /** `fields` go in front of the delta. */
  prepareDelta(type: string, fields: object): DeltaFrame {
    return {
      head: `event: ${type}\ndata: {"type":"${type}","sequence_number":`,
      middle: `,${toJsonLine(fields).slice(1, -1)},"delta":`,
    }
  }

  /** `rest` is JSON text that goes behind the delta, beginning with its comma. */
  delta(frame: DeltaFrame, text: string, rest = ''): string {
    return `${frame.head}${this.#sequenceNumber++}${frame.middle}${toJsonLine(text)}${rest}}\n\n`
  }
}
