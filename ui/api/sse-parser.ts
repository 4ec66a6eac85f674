/** Reads server-sent events piece by piece, as the HTML standard defines them. */
export interface ServerEvent {
  readonly event: string
  readonly data: string
}

export class ServerEventParser {
  #rest = ''
  #event = ''
  #data: string[] = []

  /** Takes the next piece of text and returns the events that it completes. Comments are left out. */
  push(text: string): ServerEvent[] {
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/)
    this.#rest = lines.pop() ?? ''
    return lines.flatMap((line) => this.#take(line))
  }

  #take(line: string): ServerEvent[] {
    if (line === '') return this.#finish()
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (name === 'event') this.#event = value
    if (name === 'data') this.#data.push(value)
    return []
  }

  #finish(): ServerEvent[] {
    const event = { event: this.#event === '' ? 'message' : this.#event, data: this.#data.join('\n') }
    const isEmpty = this.#data.length === 0
    this.#event = ''
    this.#data = []
    return isEmpty ? [] : [event]
  }
}
