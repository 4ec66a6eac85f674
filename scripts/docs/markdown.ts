/** Returns a table in Markdown. Bars in cells are escaped. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll(/(?<!\\)\|/g, '\\|')).join(' | ')} |`.replaceAll(/ {2,}/g, ' ')
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

export function code(text: string): string {
  return `\`${text}\``
}

/** Returns the text with a capital at the beginning and a full stop at the end; Markdown that begins with code stays. */
export function asSentence(text: string): string {
  return text.replace(/^[a-z]/, (letter) => letter.toUpperCase()).replace(/([^.!?])$/, '$1.')
}

/** Returns the text in lines of at most 120 characters, broken at spaces. */
export function wrapped(text: string): string {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= 120) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines.join('\n')
}
