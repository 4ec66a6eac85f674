/** Server messages about a form in the reader's words: fields by their labels, long values shortened. Pure. */

export interface FilledField {
  readonly name: string
  readonly label: string
  readonly value: string
}

/** Longest value that a message repeats whole, in characters. */
const longestValue = 80

/** Returns the message as a sentence, with labels for the quoted names of fields, and without long values. */
export function inWordsOfForm(message: string, fields: readonly FilledField[]): string {
  let text = message
  for (const { value } of fields) if (value.length > longestValue) text = withoutValue(text, value)
  for (const { name, label } of fields) {
    // A label often ends with a remark: "Name (optional)".
    const shown = label.replace(/ \(.*\)$/, '')
    if (text.startsWith(`'${name}' `)) text = `${shown}${text.slice(name.length + 2)}`
    text = text.replaceAll(`'${name}'`, `“${shown}”`)
  }
  return text.replace(/^[a-z]+(?= )/, capitalised)
}

function capitalised(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`
}

/** Shortens a value everywhere in the text, also in lower case or without the blanks around it. */
function withoutValue(text: string, value: string): string {
  const whole = value.trim()
  const start = text.toLowerCase().indexOf(whole.toLowerCase())
  if (whole === '' || start < 0) return text
  const rest = withoutValue(text.slice(start + whole.length), value)
  return `${text.slice(0, start)}${whole.slice(0, longestValue / 2)}…${rest}`
}
