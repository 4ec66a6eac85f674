/** Control characters and marks that reorder text, except tab and line end, which in CSV is CRLF. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]|\r(?!\n)/g

/**
 * Text of any origin, safe to show on a terminal: control characters as the escapes of JSON, `\u001b`. In JSON text they
 * stay the same characters. For the edges that print: the command line and the log.
 */
export function printable(text: string): string {
  return text.replace(controls, escaped)
}

/** The same on one line. */
export function printableLine(text: string): string {
  return printable(text).replace(/[\t\r\n]/g, escaped)
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
