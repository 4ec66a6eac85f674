/** Styles of words and code in a terminal. */
import { printable } from '../../core/printable.ts'

const styles = {
  strong: ['\u001b[1m', '\u001b[22m'],
  emphasis: ['\u001b[3m', '\u001b[23m'],
  strikethrough: ['\u001b[9m', '\u001b[29m'],
  codespan: ['\u001b[36m', '\u001b[39m'],
  link: ['\u001b[4m', '\u001b[24m'],
  heading: ['\u001b[1;35m', '\u001b[22;39m'],
  mark: ['\u001b[36m', '\u001b[39m'],
  faint: ['\u001b[2m', '\u001b[22m'],
} as const

/** Returns text in a style. */
export function styled(style: keyof typeof styles, text: string): string {
  return `${styles[style][0]}${text}${styles[style][1]}`
}

/** Returns faint text, for thoughts and figures. */
export function faint(text: string): string {
  return styled('faint', text)
}

/** Most characters that wait for the end of an emphasis, code or link. */
const heldLimit = 400

/** Complete code, emphasis or link. */
const span =
  /(?<!\\)(?:(`+)(?!`).*?(?<!`)\1(?!`)|(\*{1,3}|~~|(?<!\w)_{1,3})(?=[^\s*_~]).*?(?<=[^\s*_~])\2(?![*_~])|!?\[[^\]]*\](?:\([^)]*\))?)/g
/** Marker of a span whose end is missing. */
const opener = /(?<!\\)(?:`|(?:\*|~~|(?<!\w)_)(?=\S|$)|!?\[)/

/** Returns the number of characters, up to a blank, that no later text of the line can change. */
export function stableLength(text: string): number {
  const masked = text.replace(span, (found) => '.'.repeat(found.length))
  const open = masked.search(opener)
  const isHeld = open !== -1 && text.length - open <= heldLimit
  return masked.lastIndexOf(' ', isHeld ? open : undefined) + 1
}

/** Returns the words of a line with their styles. Keeps blanks at both ends. */
export function inline(text: string): string {
  const [, before = '', words = '', after = ''] = /^(\s*)(.*?)(\s*)$/s.exec(text) ?? []
  if (words === '') return text
  // The leading word keeps the text from being read as a list or a heading.
  return `${before}${render(`x ${safeReferences(words)}`).slice(2)}${after}`
}

/** Character references of HTML, which Markdown reads. */
const reference = /&(?:#\d+|#x[\da-f]+|[a-z][a-z\d]*);/gi

/** Returns Markdown whose references of misleading characters, such as `&#27;`, are replaced by escapes. */
export function safeReferences(markdown: string): string {
  return markdown.replaceAll(reference, (written) => {
    const character = render(written)
    const safe = printable(character)
    return safe === character ? written : safe
  })
}

function render(markdown: string): string {
  return Bun.markdown.render(markdown, renderers, { noHtmlSpans: true, noHtmlBlocks: true })
}

const renderers: Bun.markdown.RenderCallbacks = {
  paragraph: (text) => text,
  strong: (text) => styled('strong', text),
  emphasis: (text) => styled('emphasis', text),
  strikethrough: (text) => styled('strikethrough', text),
  codespan: (text) => styled('codespan', text),
  link: (text, { href }) => styled('link', text) + (href === text ? '' : faint(` (${href})`)),
  image: (text, { src }) => `${text} ${faint(`(${src})`)}`,
}

/** Beginning of each line of code in Bun's form. */
const codeBar = '\u001b[2m│ \u001b[0m'

/** Returns a line of code in colours, if its language is known. */
export function coloured(line: string, language: string): string {
  if (language === '' || line.trim() === '' || line.includes('```')) return line
  const [, shown] = Bun.markdown.ansi(`\`\`\`${language}\n${line}\n\`\`\``, { columns: 0 }).split('\n')
  return shown?.slice(codeBar.length) ?? line
}
